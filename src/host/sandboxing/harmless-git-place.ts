import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { untrustedReadFlags } from '../../files/read-flags.js';
import { isHarmlessGitConfig } from '../../policy/git-config.js';
import type { SteeringPlace } from './folder-listing.js';

const maxConfigBytes = 64 * 1024;

/**
 * Whether a new place is what git itself creates for a new repository or a clone: settings that name no program, or
 * sample hooks, which git does not run.
 */
export function isHarmlessGitPlace({ path, kind }: SteeringPlace): boolean {
  try {
    if (basename(path) === 'hooks' && kind === 'folder') return hasOnlySamples(path);
    if (basename(path) === 'config' && kind === 'file') return isHarmlessGitConfig(readText(path));
    return false;
  } catch {
    return false;
  }
}

function hasOnlySamples(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.every((it) => it.isFile() && it.name.endsWith('.sample'));
}

function readText(path: string): string {
  const descriptor = openSync(path, untrustedReadFlags);
  try {
    const { size } = fstatSync(descriptor);
    if (size > maxConfigBytes) throw new Error('too large');
    const bytes = Buffer.alloc(maxConfigBytes);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, maxConfigBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}
