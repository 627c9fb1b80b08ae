import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SuspiciousPlace } from '../operator/quarantine.js';
import { WatchedFolder } from './watched-folder.js';

let root: string;
let moved: SuspiciousPlace[];
let outdated: number;
let folder: WatchedFolder;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolwharf-watched-'));
  moved = [];
  outdated = 0;
  folder = watched();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(root, path);

function watched(moveAside?: (place: SuspiciousPlace) => Promise<boolean>): WatchedFolder {
  return new WatchedFolder(root, {
    moveAside:
      moveAside ??
      (async (place) => {
        moved.push(place);
        rmSync(place.path, { recursive: true });
        return true;
      }),
    reportStuck: async () => {},
    onOutdated: () => outdated++,
    now: Date.now,
  });
}

test('what appears while no process can write belongs to the user', async () => {
  await folder.check();
  writeFileSync(at('.mcp.json'), 'mine');
  expect((await folder.check()).places).toMatchObject([{ path: at('.mcp.json'), kind: 'file' }]);
  expect(moved).toEqual([]);
});

test('what appears while a process can write is moved aside, and what the user had stays', async () => {
  writeFileSync(at('.mcp.json'), 'mine');
  await folder.check();
  folder.started({}, folder.generation, 'evil');
  mkdirSync(at('.vscode'));
  // An editor replaces the file; the process cannot, because it is read-only there.
  rmSync(at('.mcp.json'));
  writeFileSync(at('.mcp.json'), 'edited');
  expect((await folder.check()).moved).toEqual([at('.vscode')]);
  expect(moved).toEqual([{ folder: root, path: at('.vscode'), kind: 'folder', packages: ['evil'] }]);
});

test('a process that ended is suspected for a moment longer', async () => {
  const process = {};
  await folder.check();
  folder.started(process, folder.generation, 'evil');
  folder.ended(process);
  writeFileSync(at('.mcp.json'), 'evil');
  expect((await folder.check()).moved).toEqual([at('.mcp.json')]);
  expect(folder.isTouched).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await folder.check();
  expect(folder.isTouched).toBe(false);
});

test('nothing may be mounted from the folders of a path that a running process does not know', async () => {
  const old = {};
  mkdirSync(at('a/b'), { recursive: true });
  await folder.check();
  folder.started(old, folder.generation, 'old');
  writeFileSync(at('a/b/.env'), 'key');
  await folder.check();
  expect(outdated).toBe(1);
  expect(folder.protect([at('a/b/.env')])).toEqual(new Set([at('a/b/.env')]));
  folder.started({}, folder.generation, 'new');
  expect(folder.protect([at('a/b/.env')])).toEqual(new Set([at('a/b/.env')]));
  folder.ended(old);
  expect(folder.protect([at('a/b/.env')])).toEqual(new Set());
});

test('a path that is created again is unknown again', async () => {
  writeFileSync(at('.env'), 'key');
  await folder.check();
  const before = folder.generation;
  writeFileSync(at('other'), '');
  rmSync(at('.env'));
  writeFileSync(at('.env'), 'another key');
  await folder.check();
  expect(folder.generation).toBeGreaterThan(before);
});

test('a place that cannot be moved is reported with every check', async () => {
  folder = watched(async () => {
    throw new Error('no');
  });
  await folder.check();
  folder.started({}, folder.generation, 'evil');
  writeFileSync(at('.mcp.json'), 'evil');
  expect((await folder.check()).stuck).toEqual([at('.mcp.json')]);
  expect((await folder.check()).stuck).toEqual([at('.mcp.json')]);
});
