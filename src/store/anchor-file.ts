import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { replaceFileLater } from '../files/atomic-file.js';
import { isWithin } from '../files/path-containment.js';
import { readPrivateFile } from '../files/private-file.js';
import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import { type AnchorPlace, serializeAnchor } from './audit-anchor.js';

const maxBytes = 256 * 1024;

/** Names a state directory in places that keep anchors of several. */
export function stateKeyOf(state: string): string {
  return sha256(realPath(resolve(state))).slice(0, 32);
}

/** A file in a folder for the anchors of all state directories. */
export function anchorFile(named: string, state: string): AnchorPlace {
  const folder = resolve(named);
  if (isWithin(realPath(folder), realPath(state)))
    throw new HostError('invalid_config', `the folder for anchors, ${folder}, is in the state directory`, {
      hint: 'set audit.anchor_dir to a folder outside of it: an anchor must survive when the state directory is replaced',
    });
  const path = join(folder, `${stateKeyOf(state)}.json`);
  return {
    name: path,
    intervalMs: 0,
    isOptional: false,
    read: async () => readPrivateFile(path, { min: 0, max: maxBytes })?.toString('utf8'),
    async write(anchor) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await replaceFileLater(path, serializeAnchor(anchor));
    },
  };
}

/** Resolves links in the part of an absolute path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), path.slice(parent.length).replace(/^\/+/, ''));
  }
}
