import { type Dirent, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FrontEnd, frontEnd } from '../formats/front-ends.js';
import type { Candidate, Claim } from '../model/format.js';
import { folderBundle } from './folder.js';

/** Larger files are no manifests, so they are not opened while searching. */
const maxSniffedBytes = 1024 * 1024;

/** Names that only a manifest has; a folder with such a name is a mistake. */
export const manifestNames = new Set([
  'manifest.json',
  'findagent.json',
  '.findagent.json',
  'plugin.toml',
  'toolspace.json',
]);

/** Names of one format alone: such a file is worth a finding even when it cannot be read. */
export const ownNames = new Set(['findagent.json', '.findagent.json', 'plugin.toml', 'toolspace.json']);

export function looksLikeManifest(name: string): boolean {
  return name.endsWith('.json') || name.endsWith('.py') || name.endsWith('plugin.toml');
}

export function kindOf(entry: Dirent): 'file' | 'folder' | 'special' {
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'special';
}

export function claimOf(format: FrontEnd, candidate: Candidate): Claim {
  return format.claim(candidate) ?? { scope: format.name === 'patch' ? 'file' : 'folder', up: 0 };
}

/** By its ending, for a file that somebody named: its mistakes are then told in the words of that format. */
export function guessByName(path: string): { frontEnd: FrontEnd; claim: Claim } | null {
  const name = basename(path);
  if (name.endsWith('.py')) return { frontEnd: frontEnd('patch'), claim: { scope: 'file', up: 0 } };
  const format = (
    {
      'plugin.toml': 'nexo',
      'findagent.json': 'findagent',
      '.findagent.json': 'findagent',
      'toolspace.json': 'toolspace',
      'manifest.json': 'talos',
    } as const
  )[name];
  return format === undefined ? null : { frontEnd: frontEnd(format), claim: { scope: 'folder', up: 0 } };
}

/** For recognizing a manifest; what is wrong with its bytes is told when it is read. */
const lenient = new TextDecoder();

/** A candidate that keeps what it read, so that the bundle made of it holds the same bytes. */
export interface HeldCandidate extends Candidate {
  held(): Uint8Array | undefined;
}

export function candidateOf(path: string): HeldCandidate {
  let bytes: Uint8Array | null | undefined;
  let text: string | undefined;
  const held = () => {
    if (bytes === undefined) bytes = sniff(path) ?? null;
    return bytes ?? undefined;
  };
  return {
    path: path.split('/').slice(-3).join('/'),
    held,
    beside: (name) => existsSync(join(dirname(path), name)),
    text() {
      text ??= lenient.decode(held());
      return text;
    },
  };
}

function sniff(path: string): Uint8Array | undefined {
  const entry = folderBundle({ root: dirname(path), manifest: '', single: false, shown: '' }).read(
    basename(path),
  );
  return entry.kind === 'file' && entry.bytes.length <= maxSniffedBytes ? entry.bytes : undefined;
}
