import { type Dirent, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FormatLoader, formatLoader } from '../formats/format-loaders.js';
import type { Candidate, Claim } from '../model/format.js';
import { folderBundle } from './folder.js';

/** A larger file cannot be a manifest, so the search does not read it. */
const maxManifestBytes = 1024 * 1024;

/** File names of manifests. A folder with such a name is reported as an error. */
export const manifestNames = new Set([
  'manifest.json',
  'findagent.json',
  '.findagent.json',
  'plugin.toml',
  'toolspace.json',
]);

/** File names that only one format uses. Such a file is reported even when it cannot be read. */
export const formatSpecificNames = new Set([
  'findagent.json',
  '.findagent.json',
  'plugin.toml',
  'toolspace.json',
]);

/** Whether a file name could be that of a manifest, so that the search looks into the file. */
export function hasManifestName(name: string): boolean {
  return name.endsWith('.json') || name.endsWith('.py') || name.endsWith('plugin.toml');
}

export function entryKind(entry: Dirent): 'file' | 'folder' | 'special' {
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'special';
}

/** The format's claim, or its usual one when the file does not look like its manifest. */
export function claimOf(format: FormatLoader, candidate: Candidate): Claim {
  return format.claim(candidate) ?? { scope: format.name === 'patch' ? 'file' : 'folder', levelsUp: 0 };
}

/** Guesses the format of a file from its name, so that its errors can be reported in terms of that format. */
export function guessFormatByName(path: string): { loader: FormatLoader; claim: Claim } | null {
  const name = basename(path);
  if (name.endsWith('.py')) return { loader: formatLoader('patch'), claim: { scope: 'file', levelsUp: 0 } };
  const format = (
    {
      'plugin.toml': 'nexo',
      'findagent.json': 'findagent',
      '.findagent.json': 'findagent',
      'toolspace.json': 'toolspace',
      'manifest.json': 'talos',
    } as const
  )[name];
  return format === undefined
    ? null
    : { loader: formatLoader(format), claim: { scope: 'folder', levelsUp: 0 } };
}

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
