// A tool that sees the workspace looks for keys, at every depth.
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session, SessionOptions } from '../../../src/index.js';
import { until } from '../../support/toolwharf.js';
import { unconfinedPython } from '../../support/unconfined.js';
import {
  failureOf,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const tool = (name: string, filesystem: 'read-only' | 'read-write') =>
  pythonTool({
    name,
    filesystem,
    body: ['found = {}', 'exec(text, {"os": os, "found": found})', 'return found'],
  });
const kept = talos({
  id: 'kept',
  functions: ['read', 'count'],
  code: `import { readFileSync } from 'node:fs';
let calls = 0;
export const count = () => ++calls;
export const read = ({ path }) => { try { return readFileSync(path, 'utf8'); } catch (error) { return error.code; } };`,
});

const pem = (kind: string) => `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`;
const secret = 'REACHED';

let bench: Workbench;

beforeEach(async () => {
  bench = await workbench({
    'reads.py': tool('reads', 'read-only'),
    'writes.py': tool('writes', 'read-write'),
    ...kept,
  });
});

afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const at = (path: string) => join(bench.root, path);

function put(path: string, text = secret): void {
  let folder = bench.root;
  for (const name of path.split('/').slice(0, -1)) {
    folder = join(folder, name);
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  }
  writeFileSync(at(path), text);
  chmodSync(at(path), 0o666);
}

const reading = (path: string) => `found["text"] = open(${JSON.stringify(path)}).read()`;
const call = async (name: string, text: string, options: Partial<SessionOptions> = {}) =>
  (await bench.session(options)).call({ tool: name, arguments: { text } });

const deep = 'one/two/three/four/five/six';
const hidden = [
  '.ssh/id_rsa',
  '.aws/credentials',
  '.gnupg/private-keys',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519_work',
  '.env',
  '.env.local',
  '.env.production',
  '.envs/.production',
  '.config/gcloud/credentials.db',
  '.azure/accessTokens.json',
  '.kube/config',
];
const visible = [
  '.env.example',
  '.env.sample',
  '.env.local.template',
  'id_rsa.pub',
  'environment.ts',
  'envoy.yaml',
];

describe('key material at depth seven', () => {
  test.each(hidden)('%s cannot be read', async (name) => {
    const path = `${deep}/${name}`;
    put(path);
    expect(
      await unconfinedPython(`print(open(${JSON.stringify(at(path))}).read())`, bench.root),
      'control',
    ).toContain(secret);
    await failureOf(call('reads', reading(path)));
    await failureOf(call('writes', reading(path)));
  });

  test.each(visible)('%s stays visible', async (name) => {
    put(`${deep}/${name}`);
    expect(await resultOf(call('reads', reading(`${deep}/${name}`)))).toEqual({ text: secret });
  });

  test('a PEM file is hidden if it has a private key, also after other content', async () => {
    put('a/server.pem', `${pem('CERTIFICATE')}${'x'.repeat(200_000)}\n${pem('RSA PRIVATE KEY')}`);
    put('a/ca.pem', pem('CERTIFICATE'));
    await failureOf(call('reads', reading('a/server.pem')));
    expect(await resultOf(call('reads', reading('a/ca.pem')))).toEqual({ text: pem('CERTIFICATE') });
    // The name does not change, only the content.
    put('a/ca.pem', pem('PRIVATE KEY'));
    await failureOf(call('reads', reading('a/ca.pem')));
  });

  test('moving a folder above it does not uncover it, now or for the next call', async () => {
    for (const name of ['.env', '.config/gcloud/key', '.ssh/id']) put(`app/conf/${name}`);
    const look = (path: string) =>
      `import os\ntry:\n    found[${JSON.stringify(path)}] = open(${JSON.stringify(path)}).read()\nexcept OSError:\n    pass`;
    for (const [from, to] of [
      ['app/conf', 'app/moved'],
      ['app', 'moved'],
      ['app/conf/.config', 'app/conf/plain'],
      ['app/conf/.ssh', 'app/conf/plain'],
    ] as const)
      await call('writes', `import os\nos.rename(${JSON.stringify(from)}, ${JSON.stringify(to)})`);
    const paths = ['app/conf', 'app/moved', 'moved/conf', 'moved/moved'].flatMap((base) =>
      ['.env', '.config/gcloud/key', 'plain/gcloud/key', '.ssh/id', 'plain/id'].map((it) => `${base}/${it}`),
    );
    expect(await resultOf(call('writes', paths.map(look).join('\n')))).toEqual({});
  });

  test('a link to it shows nothing', async () => {
    put('real/secrets.txt');
    mkdirSync(at('a'));
    symlinkSync('../real/secrets.txt', at('a/.env'));
    await failureOf(call('reads', reading('a/.env')));
    await failureOf(call('reads', reading('real/secrets.txt')));
  });

  test('ordinary work beside a hidden file is not disturbed', async () => {
    put('app/.env');
    put('app/one.txt', 'one');
    put('lib/two.txt', 'two');
    await resultOf(
      call(
        'writes',
        'import os\nos.rename("app/one.txt", "lib/one.txt")\nos.rename("lib/two.txt", "app/two.txt")',
      ),
    );
    expect(existsSync(at('lib/one.txt')) && existsSync(at('app/two.txt'))).toBe(true);
  });
});

describe('a grant by name', () => {
  test('opens exactly one file or folder, for reading', async () => {
    put('app/.env');
    put('app/.env.local');
    put('.aws/credentials');
    chmodSync(at('.aws'), 0o755);
    const allow = [`read:${at('app/.env')}`, `read:${at('.aws')}`];
    expect(await resultOf(call('reads', reading('app/.env'), { allow }))).toEqual({ text: secret });
    expect(await resultOf(call('reads', reading('.aws/credentials'), { allow }))).toEqual({ text: secret });
    await failureOf(call('reads', reading('app/.env.local'), { allow }));
    await failureOf(call('writes', 'open("app/.env", "w").write("x")', { allow }));
    await resultOf(
      call('writes', 'open("app/.env", "w").write("x")', { allow: [`write:${at('app/.env')}`] }),
    );
    // A grant of a folder above opens nothing.
    await failureOf(call('reads', reading('app/.env'), { allow: [`read:${at('app')}`] }));
    await failureOf(call('reads', reading('app/.env'), { allow: [`other=read:${at('app/.env')}`] }));
  });
});

describe('a grant by name and a link', () => {
  test('a link in place of the granted file does not open another one', async () => {
    put('app/.env');
    put('prod/.env');
    const allow = [`read:${at('app/.env')}`];
    expect(await resultOf(call('reads', reading('app/.env'), { allow })), 'control').toEqual({
      text: secret,
    });
    await call('writes', 'import os\nos.rename("app", "old")\nos.symlink("prod", "app")');
    await failureOf(call('reads', reading('prod/.env'), { allow }));
    await failureOf(call('reads', reading('app/.env'), { allow }));
  });
});

describe('a key that appears while a process is kept', () => {
  const read = (session: Session, path: string) =>
    resultOf(session.call({ tool: 'kept/read', arguments: { path } }));

  test('is hidden from the next call, and the old process ends', async () => {
    put('app/file.txt', 'ordinary');
    const session = await bench.session();
    const count = () => resultOf(session.call({ tool: 'kept/count', arguments: {} }));
    expect(await read(session, 'app/file.txt')).toBe('ordinary');
    expect([await count(), await count()]).toEqual([1, 2]);
    put('app/notes.txt');
    expect(await read(session, 'app/notes.txt'), 'control').toBe(secret);
    expect(await count()).toBe(3);
    put('app/.env');
    expect(await read(session, 'app/.env')).toBe('EACCES');
    expect(await count()).toBe(1);
    await until(async () => (await bench.host.processes()).pooled === 1, 10_000);
    // Created again: the mask of the old file would not cover the new one.
    rmSync(at('app/.env'));
    put('app/.env', 'new REACHED');
    expect(await read(session, 'app/.env')).toBe('EACCES');
  });
});

describe('a folder with too many files', () => {
  test('is not mounted, and the error says what to do', async () => {
    await bench.close();
    bench = await workbench({ 'reads.py': tool('reads', 'read-only') }, { maxWorkspaceEntries: 50 });
    for (let index = 0; index < 49; index++) put(`many/${index}.txt`);
    expect(await resultOf(call('reads', reading('many/1.txt')))).toEqual({ text: secret });
    put('many/more.txt');
    expect(await failureOf(call('reads', reading('many/1.txt')))).toMatchObject({
      code: 'workspace_unusable',
      message: expect.stringContaining('has more than 50 files and folders'),
      hint: expect.stringContaining('--root'),
    });
    expect(dirname(at('x'))).toBe(bench.root);
  });

  test('a tool that makes many files cannot hide a steering place behind them', async () => {
    await bench.close();
    bench = await workbench({ 'writes.py': tool('writes', 'read-write') }, { maxWorkspaceEntries: 50 });
    const many = 'import os\nos.makedirs("a/b")\nfor n in range(100): open(f"a/b/{n}", "w")';
    await call('writes', `${many}\nos.makedirs("z/y/x")\nopen("z/y/x/.mcp.json", "w")`);
    expect(existsSync(at('a/b/99')), 'control').toBe(true);
    expect(existsSync(at('z/y/x/.mcp.json'))).toBe(false);
  });
});
