import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PathWatch, watchPaths } from './watch.js';

let root: string;
let watching: PathWatch | undefined;
let seen = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watch-'));
  mkdirSync(join(root, 'a/inner'), { recursive: true });
  writeFileSync(join(root, 'a/file.txt'), 'one');
  seen = 0;
});

afterEach(() => {
  watching?.close();
  rmSync(root, { recursive: true, force: true });
});

function start(paths: readonly string[] = [root]): void {
  watching = watchPaths({
    paths,
    quietMs: 30,
    patienceMs: 200,
    onChange: () => seen++,
    onTrouble: (reason) => {
      throw new Error(reason);
    },
  });
}

async function noticed(change: () => void): Promise<void> {
  const before = seen;
  change();
  const deadline = performance.now() + 5000;
  while (seen === before) {
    if (performance.now() > deadline) throw new Error('nothing was noticed');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Whatever else belongs to the same change comes in the same moment.
  await new Promise((resolve) => setTimeout(resolve, 80));
}

describe('edits are noticed', () => {
  test('in place, in a folder below, and when a file is removed', async () => {
    start();
    await noticed(() => writeFileSync(join(root, 'a/file.txt'), 'two'));
    await noticed(() => writeFileSync(join(root, 'a/inner/new.txt'), 'x'));
    await noticed(() => unlinkSync(join(root, 'a/file.txt')));
  });

  test('when an editor writes beside and renames over', async () => {
    start();
    for (const text of ['two', 'three']) {
      await noticed(() => {
        writeFileSync(join(root, 'a/file.txt~'), text);
        renameSync(join(root, 'a/file.txt~'), join(root, 'a/file.txt'));
      });
    }
  });

  test('in folders that were made, moved or made again later', async () => {
    start();
    await noticed(() => mkdirSync(join(root, 'b/c'), { recursive: true }));
    await noticed(() => writeFileSync(join(root, 'b/c/file.txt'), 'x'));
    await noticed(() => renameSync(join(root, 'b'), join(root, 'moved')));
    await noticed(() => writeFileSync(join(root, 'moved/c/file.txt'), 'y'));
    await noticed(() => {
      rmSync(join(root, 'a'), { recursive: true });
      mkdirSync(join(root, 'a'));
    });
    await noticed(() => writeFileSync(join(root, 'a/file.txt'), 'z'));
  });

  test('when the named folder itself is exchanged', async () => {
    const named = join(root, 'a');
    start([named]);
    await noticed(() => {
      mkdirSync(join(root, 'next'));
      renameSync(named, join(root, 'old'));
      renameSync(join(root, 'next'), named);
    });
    await noticed(() => writeFileSync(join(named, 'file.txt'), 'x'));
  });

  test('behind links to folders', async () => {
    mkdirSync(join(root, 'a/real'));
    symlinkSync('real', join(root, 'a/linked'));
    start();
    await noticed(() => writeFileSync(join(root, 'a/linked/file.txt'), 'x'));
  });

  test('once for many that come together', async () => {
    start();
    await noticed(() => {
      for (let count = 0; count < 50; count++) writeFileSync(join(root, `a/${count}.txt`), 'x');
    });
    expect(seen).toBeLessThanOrEqual(2);
  });
});

test('neighbors of a named file, and folders that hold what tools made, are nobody’s business', async () => {
  mkdirSync(join(root, 'a/node_modules'));
  const file = join(root, 'a/file.txt');
  start([file]);
  writeFileSync(join(root, 'a/other.txt'), 'x');
  writeFileSync(join(root, 'a/node_modules/x.js'), 'x');
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(seen).toBe(0);
  await noticed(() => writeFileSync(file, 'two'));
});
