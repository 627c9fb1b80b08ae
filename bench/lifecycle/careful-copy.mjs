// The least that a copy must do to be as safe as an installation: every file is read, hashed and written, files and
// folders are flushed to disk, and a package appears under its name only when all of it is there.
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Copies each folder to a new folder below `target`. Returns the digest of each. */
export async function carefulCopy(folders, target) {
  await mkdir(target, { recursive: true });
  const digests = [];
  for (const [index, folder] of folders.entries()) {
    const staging = join(target, `staging-${index}`);
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const names = entries
      .filter((it) => it.isFile())
      .map((it) => join(it.parentPath, it.name).slice(folder.length + 1))
      .sort();
    const parents = new Set([staging, ...names.map((it) => dirname(join(staging, it)))]);
    for (const it of parents) await mkdir(it, { recursive: true });
    const hashes = await Promise.all(names.map((it) => copyFile(join(folder, it), join(staging, it))));
    for (const it of parents) await flush(it);
    await rename(staging, join(target, `package-${index}`));
    digests.push(sha256(names.map((it, at) => `${it} ${hashes[at]}\n`).join('')));
  }
  await flush(target);
  return digests;
}

async function copyFile(from, to) {
  const bytes = await readFile(from);
  const hash = sha256(bytes);
  const handle = await open(to, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash;
}

async function flush(folder) {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
