import { realpathSync } from 'node:fs';

/** The path with all links resolved; undefined if it does not exist or cannot be reached. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
