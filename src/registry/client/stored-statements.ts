// What the clients on this machine stored about releases. Nothing is read over the network.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryStore } from './registry-store.js';
import type { NamedRelease, SaidOfRelease } from './release-statements.js';

/** What one registry says about the releases that it knows, by their SHA-256; or why that cannot be read. */
export type StoredStatements =
  | { readonly registry: string; readonly said: ReadonlyMap<string, SaidOfRelease> }
  | { readonly registry: string; readonly problem: string };

/** `folder`: where the clients keep one file per registry. */
export function storedStatements(folder: string, releases: readonly NamedRelease[]): StoredStatements[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((it) => it.endsWith('.db'));
  return files.map((file) => {
    const registry = file.slice(0, -'.db'.length);
    try {
      return { registry, said: readSaid(join(folder, file), releases) };
    } catch (error) {
      return { registry, problem: error instanceof Error ? error.message : String(error) };
    }
  });
}

function readSaid(path: string, releases: readonly NamedRelease[]): Map<string, SaidOfRelease> {
  const store = RegistryStore.open(path);
  try {
    const said = new Map<string, SaidOfRelease>();
    for (const it of releases) {
      const found = store.saidOf(it);
      if (found !== undefined) said.set(it.sha256, found);
    }
    return said;
  } finally {
    store.close();
  }
}
