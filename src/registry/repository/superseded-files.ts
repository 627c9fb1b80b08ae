// Old versions of files are kept for a while, so that a reader in the middle of an update still finds them, and then
// removed: every publication writes a new snapshot. Root files and the files of releases stay forever.
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import { targetFile } from '../names/package-name.js';

const keptVersions = 8;
const keptParts = 8;

/** `published`: the files of a change. Whatever they replaced may go, after some more changes. */
export async function removeSuperseded(folder: string, published: readonly string[]): Promise<void> {
  for (const path of published) {
    const metadata = /^metadata\/(\d+)\.((?!root\.json$).+\.json)$/.exec(path);
    if (metadata !== null)
      await removeVersion(folder, metadata[2] as string, Number(metadata[1]) - keptVersions);
    else if (/^log\/tile\/.*\.p\/\d+$/.test(path)) await removeParts(join(folder, dirname(path)), keptParts);
    // A full tile replaces all parts of itself; readers that knew a part take the full one.
    else if (path.startsWith('log/tile/'))
      await rm(join(folder, `${path}.p`), { recursive: true, force: true });
  }
}

async function removeVersion(folder: string, file: string, version: number): Promise<void> {
  if (version < 1) return;
  const path = join(folder, 'metadata', `${version}.${file}`);
  // Parts of the index have the hash of their content in their name, so those of old versions are not replaced.
  if (file === 'index.json' || file === 'quarantine.json')
    for (const it of await targetFilesOf(path)) {
      const kept = await targetFilesOf(join(folder, 'metadata', `${version + 1}.${file}`));
      if (!kept.includes(it)) await rm(join(folder, it), { force: true });
    }
  await rm(path, { force: true });
}

async function targetFilesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const file = tryParseBounded(text, documentLimits);
  const targets = isObject(file) && isObject(file.signed) ? file.signed.targets : undefined;
  return Object.entries(isObject(targets) ? targets : {}).flatMap(([name, it]) => {
    const hash = isObject(it) && isObject(it.hashes) ? it.hashes.sha256 : undefined;
    return typeof hash === 'string' ? [targetFile(name, hash)] : [];
  });
}

async function removeParts(folder: string, kept: number): Promise<void> {
  const widths = (await readdir(folder).catch(() => [])).map(Number).sort((a, b) => b - a);
  for (const it of widths.slice(kept)) await rm(join(folder, String(it)), { force: true });
}
