// The one page and the one question of `add`, at a real terminal.
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notesRegistry } from '../../support/notes-server.js';
import { atTerminal, type LoopbackServer, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

const key = 'k3yQ9vX2mB7wLp4Zt8Rd';
let registry: LoopbackServer;
let folder: ReturnType<typeof temporaryFolder>;
let notes: string;
let states = 0;

beforeAll(async () => {
  registry = await notesRegistry();
  folder = temporaryFolder();
  notes = join(folder.path, 'my-notes');
  mkdirSync(notes);
  // The server runs as another user, and one test lets it write.
  chmodSync(notes, 0o777);
});
afterAll(async () => {
  await registry.close();
  folder.remove();
});

/** A new state directory, and the arguments of `add` for it. */
function adding(...options: string[]) {
  const state = join(folder.path, `state-${++states}`);
  const common = ['--state', state, '--npm-registry', `http://127.0.0.1:${registry.port}/`];
  const server = ['npx', '-y', '@example/notes', notes, '--api-key', key];
  return {
    state,
    args: ['add', 'notes', '--env', 'TOKEN=abc', ...common, ...options, '--', ...server],
  };
}

const question = 'Install with these? [y]es, [e]dit, [n]o: ';
describe.each([80, 40])('at %i columns', (columns) => {
  test('one page has everything that is agreed to, and one answer installs it', async () => {
    const { state, args } = adding();
    const screen = await atTerminal(args, { columns, after: '[n]o:', type: 'y\r' });
    const shown = stripVTControlCharacters(screen);
    const words = shown.replace(/\r?\n\s*/g, ' ');
    expect(words).toContain('notes 1.4.0');
    expect(words).toContain('@example/notes 1.4.0 (npm)');
    expect(words).toContain('1: see');
    expect(words.replaceAll(' ', '')).toContain(`reads${notes}`);
    expect(words).toContain('api.example.com');
    expect(words).toContain('TOKEN, API_KEY: will be sealed');
    expect(words).toContain('@example/notes needs a build step that was not run.');
    expect(words).toContain('installed notes 1.4.0');
    expect(shown).not.toContain(key);
    expect(shown.split('[n]o').length).toBe(2);
    const page = shown.slice(shown.indexOf('notes 1.4.0'), shown.indexOf('Install with'));
    for (const line of page.split(/\r?\n/)) expect(line.length, line).toBeLessThanOrEqual(columns);
    const { stdout } = await toolwharf(['call', 'notes/see', '{}', '--json', '--state', state]);
    expect(JSON.parse(stdout).status).toBe('ok');
  }, 60_000);
});

test('who edits chooses each folder and host, and sees the page again', async () => {
  const { state, args } = adding();
  const shown = await atTerminal(args, {
    ...{ columns: 200, after: question, type: 'e\r' },
    later: [
      { after: '[r]ead, [w]rite or [n]o access? (read) ', type: 'w\r' },
      { after: 'may it reach this host? [y]es, [n]o (yes) ', type: 'n\r' },
      { after: question, type: 'y\r' },
    ],
  });
  expect(shown).toContain(`reads and changes ${notes}`);
  expect(shown).toContain('not api.example.com, which it tried to reach');
  expect(shown).toContain('installed notes 1.4.0');
  const { stdout } = await toolwharf(['info', 'notes', '--state', state]);
  expect(stdout).toContain(notes);
  expect(stdout).not.toContain('api.example.com');
}, 60_000);

test.each([
  ['no', 'n\r'],
  ['Ctrl-C', '\u0003'],
  ['an empty line', '\r'],
])(
  '%s leaves nothing',
  async (_, type) => {
    const { state, args } = adding();
    const shown = await atTerminal(args, { after: question, type });
    expect(shown).toContain('nothing was changed');
    expect(shown).not.toContain('installed notes');
    const environments = join(state, 'environments');
    for (const it of ['installed', 'locks']) expect(readdirSync(join(environments, it))).toEqual([]);
    expect(readdirSync(join(state, 'store', 'trees'))).toEqual([]);
    expect(existsSync(join(state, 'data', 'notes'))).toBe(false);
  },
  60_000,
);

test('with --yes nothing is asked: what is named is granted, and the rest is not', async () => {
  const { args } = adding('--yes', '--allow', `read:${notes}`);
  const shown = await atTerminal(args, { columns: 200 });
  expect(shown).not.toContain('[n]o');
  expect(shown).toContain('not granted: --allow net:api.example.com');
  expect(shown).toContain(`reads ${notes}`);
  expect(shown).toContain('installed notes 1.4.0');
}, 60_000);
