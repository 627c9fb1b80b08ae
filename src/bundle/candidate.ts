import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Candidate } from '../model/format.js';
import { folderBundle } from './folder.js';

/** A larger file cannot be a manifest, so the search does not read it. */
const maxManifestBytes = 1024 * 1024;

/** Accepts invalid UTF-8: this only detects the format, and the parser reports the error later. */
const lenientDecoder = new TextDecoder();

/** A candidate that keeps the bytes it read, so that its bundle contains the same bytes. */
export interface LoadedCandidate extends Candidate {
  /** Undefined when the file cannot be read or is too large. */
  bytes(): Uint8Array | undefined;
}

export function createCandidate(path: string): LoadedCandidate {
  let cached: Uint8Array | null | undefined;
  let text: string | undefined;
  const bytes = () => {
    if (cached === undefined) cached = readIfSmall(path) ?? null;
    return cached ?? undefined;
  };
  return {
    path: path.split('/').slice(-3).join('/'),
    bytes,
    hasSibling: (name) => existsSync(join(dirname(path), name)),
    text() {
      text ??= lenientDecoder.decode(bytes());
      return text;
    },
  };
}

function readIfSmall(path: string): Uint8Array | undefined {
  const entry = folderBundle({ root: dirname(path), manifest: '', singleFile: false, displayRoot: '' }).read(
    basename(path),
  );
  return entry.kind === 'file' && entry.bytes.length <= maxManifestBytes ? entry.bytes : undefined;
}
