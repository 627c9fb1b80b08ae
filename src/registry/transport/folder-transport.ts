import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { openBelow } from '../../files/open-below.js';
import { HostError } from '../../model/host-error.js';
import type { FileEntry } from '../metadata/metadata-document.js';
import { damagedMetadata } from '../metadata/signed-file.js';
import { assertRegistryPath } from './registry-path.js';
import type { RegistryTransport } from './registry-transport.js';

const chunkBytes = 256 * 1024;

/** A registry in a folder of this machine. A link that the folder contains is not followed. */
export function folderTransport(folder: string): RegistryTransport {
  return {
    place: folder,
    async read(path, maxBytes) {
      const handle = await openFile(folder, path);
      if (handle === undefined) return undefined;
      try {
        const { size } = await sizeOf(handle, path);
        if (size > maxBytes)
          throw damagedMetadata(path, `it is larger than ${maxBytes.toLocaleString('en')} bytes`);
        const bytes = Buffer.alloc(size);
        let filled = 0;
        while (filled < size) {
          const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return bytes.subarray(0, filled);
      } finally {
        await handle.close();
      }
    },
    async fetch(path, expected, target) {
      const handle = await openFile(folder, path);
      if (handle === undefined) throw damagedMetadata(path, 'it is missing');
      try {
        const { size } = await sizeOf(handle, path);
        if (size !== expected.length)
          throw damagedMetadata(path, `it has ${size} bytes instead of ${expected.length}`);
        await copyChecked(handle, { ...expected, path, target });
      } finally {
        await handle.close();
      }
    },
  };
}

async function openFile(folder: string, path: string): Promise<FileHandle | undefined> {
  assertRegistryPath(path);
  try {
    return await openBelow(folder, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new HostError('unavailable', `${join(folder, path)} of the registry cannot be read`, {
      cause: error,
      hint: 'check the folder and its permissions; links are not followed',
    });
  }
}

async function sizeOf(handle: FileHandle, path: string): Promise<{ size: number }> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw damagedMetadata(path, 'it is not a regular file');
  return stats;
}

interface CheckedCopy extends FileEntry {
  readonly path: string;
  readonly target: string;
}

async function copyChecked(handle: FileHandle, { path, target, length, sha256 }: CheckedCopy): Promise<void> {
  const hash = createHash('sha256');
  const out = await open(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await handle.read(chunk, 0, Math.min(chunkBytes, length - at), at);
      if (bytesRead === 0) throw damagedMetadata(path, `it ends after ${at} bytes`);
      hash.update(chunk.subarray(0, bytesRead));
      await out.write(chunk, 0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await out.close();
  }
  const found = hash.digest('hex');
  if (found !== sha256) throw damagedMetadata(path, `its hash is ${found} instead of ${sha256}`);
}
