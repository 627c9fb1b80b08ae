import { type Dirent, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { formatNamed } from '../formats/index.js';
import type { Candidate, Claim, Format } from '../model/format.js';
import { folderBundle } from './folder.js';

/** Larger files are no manifests, so they are not opened while searching. */
const maxSniffedBytes = 1024 * 1024;

/** Names that only a manifest has; a folder with such a name is a mistake. */
export const manifestNames = new Set(['manifest.json', 'findagent.json', '.findagent.json', 'plugin.toml', 'toolspace.json']);

/** Names of one format alone: such a file is worth a finding even when it cannot be read. */
export const ownNames = new Set(['findagent.json', '.findagent.json', 'plugin.toml', 'toolspace.json']);

export function looksLikeManifest(name: string): boolean {
  return name.endsWith('.json') || name.endsWith('.py') || name === 'plugin.toml';
}

export function kindOf(entry: Dirent): 'file' | 'folder' | 'special' {
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'special';
}

export function claimOf(format: Format, candidate: Candidate): Claim {
  return format.claim(candidate) ?? { scope: format.name === 'patch' ? 'file' : 'folder', up: 0 };
}

/** By its ending, for a file that somebody named: its mistakes are then told in the words of that format. */
export function guessByName(path: string): { format: Format; claim: Claim } | null {
  const name = basename(path);
  if (name.endsWith('.py')) return { format: formatNamed('patch'), claim: { scope: 'file', up: 0 } };
  const format = (
    {
      'plugin.toml': 'nexo',
      'findagent.json': 'findagent',
      '.findagent.json': 'findagent',
      'toolspace.json': 'toolspace',
    } as const
  )[name];
  return format === undefined ? null : { format: formatNamed(format), claim: { scope: 'folder', up: 0 } };
}

export function candidateOf(path: string): Candidate {
  let text: string | undefined;
  return {
    path: path.split('/').slice(-3).join('/'),
    text() {
      text ??= sniff(path);
      return text;
    },
  };
}

function sniff(path: string): string {
  try {
    if (statSync(path).size > maxSniffedBytes) return '';
    const entry = folderBundle({
      root: dirname(path),
      manifest: basename(path),
      single: true,
      shown: '',
    }).read(basename(path));
    return entry.kind === 'file' ? new TextDecoder().decode(entry.bytes) : '';
  } catch {
    return '';
  }
}
