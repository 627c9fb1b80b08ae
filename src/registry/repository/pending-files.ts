// Writes many files so that readers see the old or the new state of a registry, also after a crash. All files are written
// aside first. A rename then decides that they will be published, and each is moved to its place in a fixed order, the
// file that makes the others visible near the end. The next writer finishes what a crash interrupted.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flushFolder } from '../../files/atomic-file.js';
import { assertNoLinks } from '../../files/open-below.js';
import { assertRegistryPath } from '../transport/registry-path.js';

/** The content of a new file: bytes, or a copy of another file. */
export type NewFile = Uint8Array | { readonly copyOf: string };

const pendingFolder = '.pending';
const orderFile = 'order';

export interface PendingOptions {
  /** Whether every file is on disk before the next step. Default: true. */
  readonly durable?: boolean | undefined;
}

/** Publishes files in this order. */
export async function publishFiles(
  folder: string,
  files: ReadonlyMap<string, NewFile>,
  { durable = true }: PendingOptions = {},
): Promise<void> {
  await assertRealFolders(folder, [...files.keys()]);
  const draft = join(folder, pendingFolder, 'draft');
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  let number = 0;
  for (const [path, content] of files) {
    assertRegistryPath(path);
    const target = join(draft, String(number++));
    if (content instanceof Uint8Array) await writeNew(target, content, durable);
    else {
      await copyFile(content.copyOf, target);
      if (durable) await flushFile(target);
    }
  }
  await writeNew(join(draft, orderFile), Buffer.from([...files.keys()].join('\n')), durable);
  if (durable) flushFolder(draft);
  // After this step, the change happens.
  await rename(draft, join(folder, pendingFolder, 'commit'));
  if (durable) flushFolder(join(folder, pendingFolder));
  await finishPending(folder, { durable });
}

/** Whether a writer was interrupted after it had decided. Readers see the old or the new state; the next writer goes on. */
export function isUnfinished(folder: string): boolean {
  return existsSync(join(folder, pendingFolder, 'commit', orderFile));
}

/** Finishes or forgets what a writer left behind. Whether there was anything to finish. */
export async function finishPending(
  folder: string,
  { durable = true }: PendingOptions = {},
): Promise<boolean> {
  const commit = join(folder, pendingFolder, 'commit');
  const order = await readFile(join(commit, orderFile), 'utf8').catch(() => undefined);
  if (order !== undefined) {
    const made = new Set<string>();
    for (const [number, path] of order.split('\n').entries()) {
      assertRegistryPath(path);
      const target = join(folder, path);
      const parent = dirname(target);
      if (!made.has(parent)) {
        await mkdir(parent, { recursive: true });
        await assertNoLinks(folder, dirname(path));
      }
      made.add(parent);
      await rename(join(commit, String(number)), target).catch((error: NodeJS.ErrnoException) => {
        // Moved before the crash.
        if (error.code !== 'ENOENT') throw error;
      });
    }
    if (durable) for (const it of made) flushFolder(it);
  }
  await rm(join(folder, pendingFolder), { recursive: true, force: true });
  return order !== undefined;
}

/** Throws (ELOOP) if a folder that gets one of the files is there already, and is a link. */
async function assertRealFolders(folder: string, paths: readonly string[]): Promise<void> {
  const parents = new Set<string>();
  for (const path of paths)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      parents.add(path.slice(0, at));
  for (const it of parents)
    await assertNoLinks(folder, it).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
}

async function writeNew(path: string, content: Uint8Array, durable: boolean): Promise<void> {
  const file = await open(path, 'wx', 0o644);
  try {
    await file.writeFile(content);
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
