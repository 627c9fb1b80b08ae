// Functions of packages, called through a whole host: what they receive, and what is kept between calls.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost, type Session } from '../../../src/index.js';
import {
  failureOf,
  findagent,
  inputOf,
  knownEffects,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const secret = 'the-signing-key-91';

const named = `import { readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
let calls = 0;
export async function tell(args: Record<string, unknown>, context: { config: Record<string, unknown>; dataDir: string }) {
  const { key, ...rest } = context.config;
  return { args, rest, keyHash: createHash('sha256').update(String(key)).digest('hex'), dataDir: context.dataDir, env: Object.keys(process.env).sort() };
}
export function remember({ note }: { note: string }, { dataDir }: { dataDir: string }) {
  writeFileSync(dataDir + '/note.txt', note);
  return { kept: note };
}
export function recall(_: unknown, { dataDir }: { dataDir: string }) {
  try { return { note: readFileSync(dataDir + '/note.txt', 'utf8') }; } catch { return { note: null }; }
}
export const count = () => ({ calls: ++calls });
export const leak = (_: unknown, { config }: { config: { key: string } }) => { console.log('key', config.key); return { key: config.key }; };
export const fail = () => { throw new Error('the shelf is empty'); };
export const workspace = () => { writeFileSync('written.txt', 'by a function'); return process.cwd(); };
`;

const table = `export const handlers = {
  async sum({ numbers }, credentials) { return { total: numbers.reduce((a, b) => a + b, 0), has: Object.keys(credentials) }; },
};
`;

/** Written like published tools: it compares the text of the setting. */
const fileTool = `let started = [];
let level = null;
export function init(logger, services) { started.push('init'); logger.info('the tool was initialized'); level = services.getService('other') ?? null; }
export async function start(credentials, logger) {
  await new Promise((done) => setTimeout(done, 5));
  started.push('start ' + credentials.depth);
  logger.warn('the tool was started');
}
export const handlers = {
  async delete(_, credentials) { return credentials.allow_delete !== 'false' ? 'deleted' : 'not allowed'; },
  async state(_, credentials) { return { started, level, credentials }; },
  async noted() { console.log('a line of the call'); return 1; },
};
`;
const unstarted = `let tries = 0;
export function start() { tries++; throw new Error('the engine is cold'); }
export const run = () => tries;
`;
const engine = `let calls = 0;
export const start = () => ++calls;
export const init = () => ++calls;
`;

const handlerInNode = `let calls = 0;
export async function handler({ tool, input }) { return { tool, input, calls: ++calls }; }
`;
const handlerInPython = `import os
calls = 0
def handler(event):
    global calls
    calls += 1
    return {"tool": event["tool"], "input": event["input"], "calls": calls, "level": os.environ.get("LEVEL")}
`;

const tools = ['first', 'second'].map((name) => ({
  name,
  description: 'Answers with what it was asked.',
  input_schema: inputOf({ n: { type: 'integer', default: 5 } }),
  annotations: { readOnlyHint: true },
}));

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  bench = await workbench({
    ...talos({
      id: 'shelf',
      code: named,
      file: 'index.ts',
      functions: ['tell', 'remember', 'recall', 'count', 'leak', 'fail', 'workspace'],
      rest: {
        credentials: [{ name: 'key', label: 'Key', required: true }],
        settings: [
          { name: 'limit', label: 'Limit', type: 'number', default: 20 },
          { name: 'loud', label: 'Loud', type: 'boolean', default: false },
        ],
      },
    }),
    ...talos({
      id: 'files',
      code: fileTool,
      functions: ['delete', 'state', 'noted'],
      rest: {
        settings: [
          { name: 'allow_delete', label: 'Allow delete', type: 'boolean', default: 'false' },
          { name: 'depth', label: 'Depth', type: 'number', default: '5' },
          { name: 'folder', label: 'Folder', type: 'string', default: '' },
          { name: 'odd', label: 'Odd', type: 'boolean', default: 'sometimes' },
          { name: 'zone', label: 'Zone', type: 'select', options: ['eu', 'us'], default: 'asia' },
          { name: 'size', label: 'Size', type: 'number', default: '' },
        ],
      },
    }),
    ...talos({ id: 'unstarted', code: unstarted, functions: ['run'] }),
    ...talos({ id: 'engine', code: engine, functions: ['start', 'init'] }),
    ...talos({
      id: 'mailbox',
      code: 'export const read = (_, { config }) => config.refresh_token.length;',
      functions: ['read'],
      rest: { oauth: { provider: 'example', scopes: ['mail.read'] } },
    }),
    ...talos({ id: 'adder', code: table, functions: ['sum'] }),
    'node/findagent.json': findagent('Node Bundle', {
      kind: 'code-bundle',
      entrypoint: { path: 'agent.mjs', export: 'handler' },
      runtime: { kind: 'node' },
      mcp: { mode: 'wrap' },
      allowed_hosts: [],
      tools,
    }),
    'node/agent.mjs': handlerInNode,
    'skilled/findagent.json': JSON.stringify({
      name: 'Skilled Bundle',
      kind: 'code-bundle',
      entrypoint: { path: 'agent.mjs' },
      runtime: { kind: 'node' },
      allowed_hosts: [],
      guardrails: { input: { pii_redaction: ['email', 'shoe_size'] } },
      skills: [
        {
          id: 'read_note',
          name: 'Read a note',
          description: 'Reads.',
          input_schema: inputOf({ text: { type: 'string' } }),
          annotations: { readOnlyHint: true },
        },
      ],
    }),
    'skilled/agent.mjs': handlerInNode,
    'python/findagent.json': findagent('Python Bundle', {
      kind: 'code-bundle',
      entrypoint: { path: 'agent.py' },
      runtime: { kind: 'python', version: '3.11' },
      mcp: { mode: 'wrap' },
      allowed_hosts: [],
      env: [{ name: 'LEVEL', description: 'How much.' }],
      tools,
    }),
    'python/agent.py': handlerInPython,
  });
  session = await bench.session();
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const call = (tool: string, given: object = {}, of: Session = session) =>
  of.call({ tool, arguments: given as never });

const set = (packageId: string, slot: string, value: string) =>
  bench.host.secrets.set({ package: packageId, slot, value, audience: { kind: 'manifest' }, by: 'test' });

describe('Talos functions', () => {
  test('a package needs setup until its credential is set, and then works in the same session', async () => {
    const waiting = await failureOf(call('shelf/tell'));
    expect(waiting.code).toBe('needs_setup');
    expect(`${waiting.message} ${waiting.hint}`).toContain('toolwharf secret set shelf key');
    await set('shelf', 'key', secret);
    expect(await resultOf(call('shelf/tell', { a: [1] }))).toMatchObject({
      args: { a: [1] },
      rest: { limit: '20', loud: 'false' },
      dataDir: '/toolwharf/data',
      keyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('the credential is in the context and not in the environment', async () => {
    await set('shelf', 'key', secret);
    const { env } = (await resultOf(call('shelf/tell'))) as { env: string[] };
    // The package may use the network, so the proxy variables are set. Only names are compared.
    expect(env.filter((it) => !/proxy|NODE_/i.test(it))).toEqual(['HOME', 'LANG', 'PATH', 'PWD']);
  });

  test('a changed credential or setting reaches the next call', async () => {
    await set('shelf', 'key', 'first value of the key');
    const before = (await resultOf(call('shelf/tell'))) as { keyHash: string };
    await set('shelf', 'key', secret);
    await set('shelf', 'limit', '7');
    const after = (await resultOf(call('shelf/tell'))) as { keyHash: string; rest: object };
    expect(after.keyHash).not.toBe(before.keyHash);
    expect(after.rest).toMatchObject({ limit: '7' });
  });

  test('a setting arrives as the text of the manifest, so that "false" does not turn into a yes', async () => {
    expect(await resultOf(call('files/delete'))).toBe('not allowed');
    const { credentials } = (await resultOf(call('files/state'))) as { credentials: object };
    expect(credentials).toEqual({
      allow_delete: 'false',
      depth: '5',
      folder: '',
      odd: 'sometimes',
      zone: 'asia',
    });
    await set('files', 'allow_delete', 'true');
    expect(await resultOf(call('files/delete'))).toBe('deleted');
    await bench.host.secrets.unset('files', 'allow_delete', 'test');
    expect(await resultOf(call('files/delete'))).toBe('not allowed');
  });

  test('exported init and start run once in a process before its first call, with the values', async () => {
    const expected = { started: ['init', 'start 5'], level: null };
    expect(await resultOf(call('files/state'))).toMatchObject(expected);
    expect(await resultOf(call('files/state'))).toMatchObject(expected);
    await set('files', 'depth', '6');
    expect(await resultOf(call('files/state'))).toMatchObject({ started: ['init', 'start 6'] });
  });

  test('a start that fails is the answer of the call, and the next call tries again', async () => {
    for (let round = 0; round < 2; round++) {
      const failure = await failureOf(call('unstarted/run'));
      expect(failure.code).toBe('tool_failed');
      expect(failure.message).toBe(
        'the code of unstarted/run failed to start: start() failed: the engine is cold',
      );
    }
  });

  test('a declared function named start or init is a tool, and nothing else calls it', async () => {
    expect(await resultOf(call('engine/start'))).toBe(1);
    expect(await resultOf(call('engine/init'))).toBe(2);
  });

  test('a tool with a sign-in needs its refresh token before it is ready', async () => {
    const waiting = await failureOf(call('mailbox/read'));
    expect(waiting.code).toBe('needs_setup');
    expect(`${waiting.message} ${waiting.hint}`).toContain('toolwharf secret set mailbox refresh_token');
    await set('mailbox', 'refresh_token', 'a refresh token of the provider');
    expect(await resultOf(call('mailbox/read'))).toBe(31);
  });

  test('functions exported as a table of handlers get the arguments and then the credentials', async () => {
    expect(await resultOf(call('adder/sum', { numbers: [1, 2, 3] }))).toEqual({ total: 6, has: [] });
  });

  test('a package keeps its process and its data between calls', async () => {
    await set('shelf', 'key', secret);
    const counts = [];
    for (let index = 0; index < 3; index++) counts.push(await resultOf(call('shelf/count')));
    expect(counts).toEqual([{ calls: 1 }, { calls: 2 }, { calls: 3 }]);
    await resultOf(call('shelf/remember', { note: 'buy ink' }));
    expect(await resultOf(call('shelf/recall'))).toEqual({ note: 'buy ink' });
  });

  test('the working directory of a function is the workspace', async () => {
    expect(await resultOf(call('shelf/workspace'))).toBe(bench.root);
  });

  test('a function that prints and returns its credential does not leak it', async () => {
    await set('shelf', 'key', secret);
    const leaked = await call('shelf/leak');
    expect(leaked.status).toBe('ok');
    expect(JSON.stringify(leaked)).not.toContain(secret);
  });

  test('the message of a thrown error is in the failure', async () => {
    expect(await failureOf(call('shelf/fail'))).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('the shelf is empty'),
    });
  });

  test('the next host with the same state finds the data of a package', async () => {
    const state = join(bench.path, 'another-state');
    const options = {
      principal: 'agent',
      directories: [join(bench.packages, 'shelf')],
      root: bench.root,
      // As in the other tests of this file, calls are not held for what the session has seen.
      policy: { rules: [knownEffects], taint: { mode: 'observe' as const } },
    };
    for (const round of ['write', 'read']) {
      const host = await createHost({ state });
      try {
        await host.secrets.set({
          package: 'shelf',
          slot: 'key',
          value: secret,
          audience: { kind: 'manifest' },
          by: 'test',
        });
        const opened = await host.session(options);
        if (round === 'write') {
          expect(await resultOf(call('shelf/recall', {}, opened))).toEqual({ note: null });
          await resultOf(call('shelf/remember', { note: 'for the next' }, opened));
        } else expect(await resultOf(call('shelf/recall', {}, opened))).toEqual({ note: 'for the next' });
      } finally {
        await host.close();
      }
    }
  });
});

describe('FindAgent code bundles', () => {
  test.each(['node-bundle', 'python-bundle'])(
    '%s gets the tool name and the input with defaults',
    async (id) => {
      expect(await resultOf(call(`${id}/first`))).toMatchObject({ tool: 'first', input: { n: 5 }, calls: 1 });
      expect(await resultOf(call(`${id}/second`, { n: 2 }))).toMatchObject({
        tool: 'second',
        input: { n: 2 },
        calls: 2,
      });
      expect(await failureOf(call(`${id}/second`, { n: 'x' }))).toMatchObject({ code: 'invalid_input' });
    },
  );

  test('a skill with an input is a tool, and an unknown kind of personal data removes nothing', async () => {
    const text = 'from ada@example.com, shoe size 38';
    expect(await resultOf(call('skilled-bundle/read_note', { text }))).toMatchObject({
      tool: 'read_note',
      input: { text: 'from [redacted:email], shoe size 38' },
    });
  });

  test('a setting is passed in the environment', async () => {
    expect(await resultOf(call('python-bundle/first'))).toMatchObject({ level: null });
    await set('python-bundle', 'LEVEL', 'high');
    expect(await resultOf(call('python-bundle/first'))).toMatchObject({ level: 'high' });
  });
});
