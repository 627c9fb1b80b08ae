import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PathWatcher, watchPaths } from './watch.js';

let root: string;
let watcher: PathWatcher | undefined;
let changes = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watch-'));
  mkdirSync(join(root, 'a/inner'), { recursive: true });
  writeFileSync(join(root, 'a/file.txt'), 'one');
  changes = 0;
});

afterEach(() => {
  watcher?.close();
  rmSync(root, { recursive: true, force: true });
});

function start(paths: readonly string[] = [root]): void {
  watcher = watchPaths({
    paths,
    quietMs: 30,
    maxDelayMs: 200,
    onChange: () => changes++,
    onFailure: (reason) => {
      throw new Error(reason);
    },
  });
}

async function waitForChange(change: () => void): Promise<void> {
  const before = changes;
  change();
  const deadline = performance.now() + 5000;
  while (changes === before) {
    if (performance.now() > deadline) throw new Error('no change was detected');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Wait for further notifications of the same change.
  await new Promise((resolve) => setTimeout(resolve, 80));
}

describe('edits are detected', () => {
  test('in place, in a folder below, and when a file is removed', async () => {
    start();
    await waitForChange(() => writeFileSync(join(root, 'a/file.txt'), 'two'));
    await waitForChange(() => writeFileSync(join(root, 'a/inner/new.txt'), 'x'));
    await waitForChange(() => unlinkSync(join(root, 'a/file.txt')));
  });

  test('when an editor writes a temporary file and renames it', async () => {
    start();
    for (const text of ['two', 'three']) {
      await waitForChange(() => {
        writeFileSync(join(root, 'a/file.txt~'), text);
        renameSync(join(root, 'a/file.txt~'), join(root, 'a/file.txt'));
      });
    }
  });

  test('in folders that are created, moved or recreated later', async () => {
    start();
    await waitForChange(() => mkdirSync(join(root, 'b/c'), { recursive: true }));
    await waitForChange(() => writeFileSync(join(root, 'b/c/file.txt'), 'x'));
    await waitForChange(() => renameSync(join(root, 'b'), join(root, 'moved')));
    await waitForChange(() => writeFileSync(join(root, 'moved/c/file.txt'), 'y'));
    await waitForChange(() => {
      rmSync(join(root, 'a'), { recursive: true });
      mkdirSync(join(root, 'a'));
    });
    await waitForChange(() => writeFileSync(join(root, 'a/file.txt'), 'z'));
  });

  test('when the watched folder itself is replaced', async () => {
    const named = join(root, 'a');
    start([named]);
    await waitForChange(() => {
      mkdirSync(join(root, 'next'));
      renameSync(named, join(root, 'old'));
      renameSync(join(root, 'next'), named);
    });
    await waitForChange(() => writeFileSync(join(named, 'file.txt'), 'x'));
  });

  test('behind symbolic links to folders', async () => {
    mkdirSync(join(root, 'a/real'));
    symlinkSync('real', join(root, 'a/linked'));
    start();
    await waitForChange(() => writeFileSync(join(root, 'a/linked/file.txt'), 'x'));
  });

  test('once for many edits in quick succession', async () => {
    start();
    await waitForChange(() => {
      for (let count = 0; count < 50; count++) writeFileSync(join(root, `a/${count}.txt`), 'x');
    });
    expect(changes).toBeLessThanOrEqual(2);
  });
});

test('other files next to a watched file and ignored folders cause no notification', async () => {
  mkdirSync(join(root, 'a/node_modules'));
  const file = join(root, 'a/file.txt');
  start([file]);
  writeFileSync(join(root, 'a/other.txt'), 'x');
  writeFileSync(join(root, 'a/node_modules/x.js'), 'x');
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(changes).toBe(0);
  await waitForChange(() => writeFileSync(file, 'two'));
});
