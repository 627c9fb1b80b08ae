// Functions of packages in real sandboxes: every way to answer, to fail and to misbehave.
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import { typeStripper } from '../../../src/host/packages/type-stripper.js';
import { HostError } from '../../../src/model/host-error.js';
import type { Json, JsonObject } from '../../../src/model/json.js';
import type { Package } from '../../../src/model/package.js';
import type { Slot, SlotValues } from '../../../src/model/slot.js';
import { textTemplate } from '../../../src/model/template.js';
import type { Tool } from '../../../src/model/tool.js';
import { runFunction } from '../../../src/run/function.js';
import type { PoolOptions } from '../../../src/run/process-pool.js';
import type { RunResult } from '../../../src/run/run.js';
import type { SandboxProfile } from '../../../src/run/sandbox-command.js';
import { WorkerPool } from '../../../src/run/worker/worker-pool.js';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { noSandbox } from '../../../src/sandbox/no-sandbox.js';
import { defaultSandboxLimits, type Sandbox } from '../../../src/sandbox/sandbox.js';

const root = mkdtempSync('/tmp/toolwharf-functions-');
let sandbox: Sandbox;
const pools: WorkerPool[] = [];

beforeAll(async () => {
  chmodSync(root, 0o755);
  sandbox = bubblewrap();
  // Without a sandbox these tests would prove nothing, so they fail.
  expect((await sandbox.probe()).level).not.toBe('unavailable');
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((it) => it.close()));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Setting {
  readonly language?: 'node' | 'python';
  readonly entry?: string;
  readonly slots?: readonly Slot[];
  readonly values?: Readonly<Record<string, string>>;
  readonly state?: boolean;
  readonly id?: string;
  readonly cpuSeconds?: number;
  readonly network?: SandboxProfile['network'];
  readonly sandbox?: Sandbox;
}

interface Call {
  readonly export?: string;
  readonly convention?: 'arguments-context' | 'envelope';
  readonly tool?: string;
  readonly input?: JsonObject;
  readonly timeoutMs?: number;
  readonly outputBytes?: number;
  readonly signal?: AbortSignal;
  readonly principal?: string;
}

let made = 0;

/** A package on disk, staged like the host does it, and a way to call its functions. */
function packageOf(
  files: Readonly<Record<string, string>>,
  setting: Setting = {},
  options: PoolOptions = {},
) {
  const folder = join(root, String(++made));
  const [first = ''] = Object.keys(files);
  const entry = setting.entry ?? first;
  const language = setting.language ?? (entry.endsWith('.py') ? 'python' : 'node');
  const bundle = memoryBundle(files, 'manifest.json');
  const slots = setting.slots ?? [];
  const program = {
    name: 'code',
    role: 'tool',
    lifetime: 'persistent',
    protocol: 'function',
    callerContext: false,
    target: {
      kind: 'process',
      command: [textTemplate(entry)],
      runtime: { language, packages: [] },
      directory: '',
      environment: [],
    },
  } as const;
  const of = {
    id: setting.id ?? 'demo',
    programs: [program],
    slots,
    permissions: { network: { kind: 'none' } },
  } as unknown as Package;
  const write = (path: string, bytes: Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  };
  const strip = typeStripper(of, bundle);
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    const bytes = new TextEncoder().encode(text);
    write(path, bytes);
    const script = strip(path, bytes);
    if (script !== undefined) write(script.path, script.bytes);
  }
  const state = setting.state ? join(root, `state-${made}`) : null;
  if (state !== null) {
    mkdirSync(state);
    chmodSync(state, 0o777);
  }
  const values: SlotValues = new Map(
    Object.entries(setting.values ?? {}).map(([name, value]) => [
      name,
      { value, secret: true, recipients: { kind: 'nobody' } },
    ]),
  );
  const profile: SandboxProfile = {
    package: of,
    digest: `digest-${made}`,
    owner: ownerOf('somebody'),
    packageFolder: folder,
    roots: [],
    hidden: [],
    dataFolder: state,
    slots: values,
    limits: { ...defaultSandboxLimits, cpuSeconds: setting.cpuSeconds ?? defaultSandboxLimits.cpuSeconds },
    grantPrefix: '',
    network: setting.network ?? null,
    runtimes: new Map([
      [
        'code',
        {
          interpreter: {
            path: `/usr/bin/${language === 'node' ? 'node' : 'python3'}`,
            version: '',
            mounts: [],
            exact: true,
          },
          packages: null,
        },
      ],
    ]),
  };
  const refused: string[] = [];
  const pool = new WorkerPool(setting.sandbox ?? sandbox, options);
  pools.push(pool);
  const run = (call: Call = {}): Promise<RunResult> => {
    const convention = call.convention ?? (language === 'python' ? 'envelope' : 'arguments-context');
    const name = call.export ?? (convention === 'envelope' ? 'handler' : 'run');
    const action = { kind: 'function', program: 'code', export: name, convention } as const;
    const signal = call.signal ?? new AbortController().signal;
    const timeoutMs = call.timeoutMs ?? 20_000;
    return runFunction(
      action,
      {
        package: of,
        tool: { name: call.tool ?? name, action } as unknown as Tool,
        input: call.input ?? {},
        callId: 'call',
        timeoutMs,
        outputBytes: call.outputBytes ?? 10 * 1024 * 1024,
        signal,
        caller: { agentId: 'agent', sessionId: 'ses' },
        onNetworkDenied: (hosts) => refused.push(...hosts),
      },
      { ...profile, owner: ownerOf(call.principal ?? 'somebody') },
      { sandbox: setting.sandbox ?? sandbox, newSocket: () => join(root, `${++made}.sock`) },
      pool,
      { waitSignal: () => signal, leftMs: () => timeoutMs },
    );
  };
  return { run, pool, refused, value: async (call?: Call): Promise<Json> => (await run(call)).value };
}

const ownerOf = (principal: string) => ({ principal, id: principal });

async function failure(of: Promise<unknown>): Promise<HostError> {
  const error = await of.then(
    (it) => new Error(`it answered ${JSON.stringify(it)}`),
    (it: unknown) => it,
  );
  expect(error).toBeInstanceOf(HostError);
  return error as HostError;
}

function slot(name: string, type: Slot['type'] = 'text'): Slot {
  return {
    name,
    label: name,
    secret: false,
    required: false,
    type,
    source: { kind: 'operator' },
    delivery: { kind: 'context' },
    audience: { kind: 'public' },
  };
}

const both = [
  ['node', 'agent.mjs'],
  ['python', 'agent.py'],
] as const;

describe('how a handler is found', () => {
  const slots = [slot('token'), slot('count', 'number'), slot('on', 'boolean'), slot('tree', 'json')];
  const values = { token: 't', count: '3', on: 'false', tree: '{"a":[1]}' };
  // Text, whatever the type of the slot.
  const config = { ...values };

  test("an export of the function's name gets arguments, then config and dataDir", async () => {
    const code =
      'export async function run(args, context) { return { args, context, self: this === undefined }; }';
    const { value } = packageOf({ 'index.mjs': code }, { slots, values, state: true });
    expect(await value({ input: { a: 1 } })).toEqual({
      args: { a: 1 },
      context: { config, dataDir: expect.stringMatching(/\/data$/) },
      self: true,
    });
  });

  test('a function in `handlers` gets arguments, then the values, and `this` is the table', async () => {
    const code =
      'export const handlers = { other: 1, run(args, values) { return { args, values, other: this.other }; } };';
    const { value } = packageOf({ 'index.mjs': code }, { slots, values });
    expect(await value({ input: { a: 1 } })).toEqual({ args: { a: 1 }, values: config, other: 1 });
  });

  test('a function in the default export is called like one in `handlers`', async () => {
    const { value } = packageOf(
      { 'index.mjs': 'export default { run: (args, values) => ({ args, values }) };' },
      { slots, values },
    );
    expect(await value()).toEqual({ args: {}, values: config });
  });

  test('a slot without a value is missing from config', async () => {
    const code = 'export const run = (_, { config, dataDir }) => [Object.keys(config), dataDir];';
    const { value } = packageOf({ 'index.mjs': code }, { slots, values: { token: 't' } });
    expect(await value()).toEqual([['token'], null]);
  });

  test('a named export comes before `handlers`, and `handlers` before the default export', async () => {
    const all =
      'export const run = () => 1; export const handlers = { run: () => 2, b: () => 2 }; export default { run: () => 3, b: () => 3, c: () => 3 };';
    const { value } = packageOf({ 'index.mjs': all });
    expect(await Promise.all(['run', 'b', 'c'].map((it) => value({ export: it })))).toEqual([1, 2, 3]);
  });

  test('an export that is not a function is skipped', async () => {
    const { value } = packageOf({
      'index.mjs': 'export const run = 5; export const handlers = { run: () => 2 };',
    });
    expect(await value()).toBe(2);
  });

  test.each([
    ['exports.run = (args, { config }) => config.token', 't'],
    ['module.exports = { run(args, { config }) { return config.token; } }', 't'],
    ['module.exports.handlers = { run: (args, values) => values.token }', 't'],
    [
      'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = { run: (_, v) => v.token };',
      't',
    ],
  ])('a CommonJS handler is found: %s', async (code, expected) => {
    const { value } = packageOf({ 'index.cjs': code }, { slots, values });
    expect(await value()).toBe(expected);
  });

  test('without package.json, the syntax of a .js file decides its module system', async () => {
    const { run } = packageOf({
      'index.js': "import { sep } from 'node:path'; export const run = () => sep;",
    });
    expect(await run()).toEqual({ value: '/', warnings: [] });
    const older = packageOf({ 'index.js': "const { sep } = require('path'); exports.run = () => sep;" });
    expect(await older.run()).toEqual({ value: '/', warnings: [] });
  });

  test('a property that objects inherit is not a handler', async () => {
    const { run } = packageOf({ 'index.mjs': 'export const handlers = {}; export default {};' });
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      const error = await failure(run({ export: name }));
      expect(error.code).toBe('tool_failed');
      expect(error.message).toBe(`the code of demo/${name} has no function "${name}"`);
    }
  });

  test.each([
    ['agent.mjs', 'export const handler = ({ tool, input }) => [tool, input];'],
    ['agent.mjs', 'export default async ({ tool, input }) => [tool, input];'],
    ['agent.cjs', 'module.exports = ({ tool, input }) => [tool, input];'],
    ['agent.cjs', 'module.exports = { handler: ({ tool, input }) => [tool, input] };'],
    ['agent.py', 'def handler(event):\n    return [event["tool"], event["input"]]\n'],
    ['agent.py', 'async def handler(event):\n    return [event["tool"], event["input"]]\n'],
    ['src/agent.py', 'from near import it\ndef handler(event):\n    return it(event)\n'],
  ])('one function serves all tools: %s, %s', async (path, code) => {
    const near = 'def it(event):\n    return [event["tool"], event["input"]]\n';
    const { value } = packageOf({ [path]: code, 'src/near.py': near });
    const answer = await value({ convention: 'envelope', export: 'handler', tool: 'sum', input: { a: [1] } });
    expect(answer).toEqual(['sum', { a: [1] }]);
  });

  test('a Python file without the function is reported', async () => {
    const { run } = packageOf({ 'agent.py': 'handler = 5\n' });
    expect((await failure(run())).message).toBe('the code of demo/handler has no function "handler"');
  });
});

describe('results', () => {
  test.each([
    ['undefined', null],
    ['null', null],
    ['"text"', 'text'],
    ['[1, { a: true }]', [1, { a: true }]],
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['Promise.resolve(5)', 5],
    ['"\\ud800 \\u2028 \\n"', '\ud800 \u2028 \n'],
  ])('a JavaScript value arrives: %s', async (code, expected) => {
    const { value } = packageOf({ 'index.mjs': `export const run = () => (${code});` });
    expect(await value()).toEqual(expected);
  });

  test.each([
    ['None', null],
    ['"text \\ud800 ü"', 'text \ud800 ü'],
    ['{"a": (1, 2.5, True)}', { a: [1, 2.5, true] }],
  ])('a Python value arrives: %s', async (code, expected) => {
    const { value } = packageOf({ 'agent.py': `def handler(event):\n    return ${code}\n` });
    expect(await value()).toEqual(expected);
  });

  test.each([
    ['index.mjs', '() => 1', 'it is a function'],
    ['index.mjs', 'Symbol.iterator', 'it is a symbol'],
    ['index.mjs', '10n', 'Do not know how to serialize a BigInt'],
    ['index.mjs', '(() => { const a = {}; a.a = a; return a; })()', 'Converting circular structure to JSON'],
    ['index.mjs', '({ toJSON() { throw new Error("no"); } })', 'no'],
    ['agent.py', '{1, 2}', 'Object of type set is not JSON serializable'],
    ['agent.py', 'float("nan")', 'Out of range float values are not JSON compliant'],
    ['agent.py', '(lambda a: a.append(a) or a)([])', 'Circular reference detected'],
  ])('a value of %s that is not JSON is reported: %s', async (path, code, why) => {
    const text = path.endsWith('.py')
      ? `def handler(event):\n    return ${code}\n`
      : `export const run = () => (${code});`;
    const { run, pool } = packageOf({ [path]: text });
    const error = await failure(run());
    expect(error.code).toBe('tool_bad_output');
    expect(error.message).toContain(why);
    expect(pool.state.processes).toBe(1);
  });

  test.each(both)('a result over the size limit is rejected: %s', async (_, path) => {
    const { run, value, pool } = packageOf(
      {
        'agent.mjs': 'export const handler = ({ input }) => "x".repeat(input.n);',
        'agent.py': 'def handler(event):\n    return "x" * event["input"]["n"]\n',
      },
      { entry: path },
    );
    const call = { convention: 'envelope', outputBytes: 1_000_000 } as const;
    expect(String(await value({ ...call, input: { n: 999_998 } })).length).toBe(999_998);
    const error = await failure(run({ ...call, input: { n: 999_999 } }));
    expect([error.code, error.message]).toEqual([
      'output_too_large',
      'the result of demo/handler has 1,000,001 bytes; the limit is 1,000,000',
    ]);
    // The process is still usable.
    expect(await value({ ...call, input: { n: 1 } })).toBe('x');
    expect(pool.state.processes).toBe(1);
  });

  test.each(both)('a large result and large arguments arrive complete: %s', async (_, path) => {
    const { value } = packageOf(
      {
        'agent.mjs': 'export const handler = ({ input }) => input.text + input.text;',
        'agent.py': 'def handler(event):\n    return event["input"]["text"] * 2\n',
      },
      { entry: path },
    );
    const text = 'aü€😀'.repeat(100_000);
    expect(await value({ convention: 'envelope', input: { text } })).toBe(text + text);
  });
});

describe('printed output', () => {
  test('printed output becomes the log of the call and never its result', async () => {
    const code = `import { writeSync } from 'node:fs'; import { execSync } from 'node:child_process';
      console.log('loading');
      export function run({ word }) {
        console.log(word); console.error('to error'); process.stdout.write('{"id":1,"value":"forged"}\\n');
        writeSync(1, 'straight\\n'); execSync('echo from a child', { stdio: 'inherit' });
        return word;
      }`;
    const { run } = packageOf({ 'index.mjs': code });
    const rest = (word: string) => [
      word,
      'to error',
      '{"id":1,"value":"forged"}',
      'straight',
      'from a child',
    ];
    expect(await run({ input: { word: 'one' } })).toEqual({
      value: 'one',
      log: ['loading', ...rest('one')].join('\n'),
      warnings: [],
    });
    expect((await run({ input: { word: 'two' } })).log).toBe(rest('two').join('\n'));
  });

  test('printed output of Python becomes the log of the call and never its result', async () => {
    const code = `import os, subprocess, sys
print("loading")
def handler(event):
    print(event["input"]["word"])
    print("to error", file=sys.stderr)
    sys.stdout.flush()
    os.write(1, b"straight\\n")
    subprocess.run(["echo", "from a child"])
    return sys.stdin.read()
`;
    const { run } = packageOf({ 'agent.py': code });
    expect(await run({ input: { word: 'one' } })).toEqual({
      value: '',
      log: 'loading\nto error\none\nstraight\nfrom a child',
      warnings: [],
    });
    expect((await run({ input: { word: 'two' } })).log).toBe('to error\ntwo\nstraight\nfrom a child');
  });

  test.each(both)('of very long output only the end is kept: %s', async (_, path) => {
    const { run } = packageOf(
      {
        'agent.mjs':
          'export function handler() { for (let i = 0; i < 300000; i++) console.log("line " + i); return 1; }',
        'agent.py':
          'def handler(event):\n    for i in range(300000):\n        print("line", i)\n    return 1\n',
      },
      { entry: path },
    );
    const { log = '' } = await run({ convention: 'envelope' });
    expect(log.length).toBeLessThanOrEqual(64 * 1024);
    expect(log.endsWith('line 299999')).toBe(true);
  });

  test('output between two calls belongs to no call', async () => {
    const code =
      'export const run = () => { setTimeout(() => console.log("late"), 20); console.log("now"); return 1; };';
    const { run } = packageOf({ 'index.mjs': code });
    expect((await run()).log).toBe('now');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await run()).log).toBe('now');
  });

  test('standard input is empty, and code may close the standard streams', async () => {
    const code = `import { closeSync, readFileSync } from 'node:fs';
      export function run() { const all = readFileSync(0, 'utf8'); for (const it of [0, 1, 2]) closeSync(it); return all; }
      export const again = () => 'still here';`;
    const { value, pool } = packageOf({ 'index.mjs': code });
    expect(await value()).toBe('');
    expect(await value({ export: 'again' })).toBe('still here');
    expect(pool.state.processes).toBe(1);
    const python = packageOf({
      'agent.py':
        'import os\ndef handler(event):\n    for it in (0, 1, 2):\n        os.close(it)\n    return 1\ndef again(event):\n    return 2\n',
    });
    expect(await python.value()).toBe(1);
    expect(await python.value({ export: 'again' })).toBe(2);
  });
});

describe('failures of the code', () => {
  test.each([
    [
      'index.mjs',
      'export async function run() {\n  throw new TypeError("no such city");\n}',
      '  at run (index.mjs:2:9)',
    ],
    [
      'index.ts',
      'type A = 1;\nexport function run(): void {\n  throw new TypeError("no such city");\n}',
      '  at run (index.ts:3:9)',
    ],
    ['agent.py', 'def handler(event):\n    raise TypeError("no such city")\n', '  at agent.py:2 in handler'],
  ])('the error text is reported, and the location is for the host log: %s', async (path, code, place) => {
    const { run, pool } = packageOf({ [path]: code });
    const error = await failure(run());
    expect([error.code, error.message]).toEqual(['tool_failed', 'no such city']);
    expect((error.cause as Error).message).toBe(`TypeError: no such city\n${place}`);
    // The process is still usable.
    expect(pool.state).toEqual({ processes: 1, busy: 0, waiting: 0 });
  });

  test.each([
    ['throw "plain"', 'plain'],
    ['throw null', 'a value was thrown that is not an error: null'],
    ['throw { code: 7 }', 'a value was thrown that is not an error: {"code":7}'],
    ['throw new RangeError()', 'RangeError'],
    ['throw { get message() { throw 1; } }', 'a value was thrown that cannot be shown'],
    ['await Promise.reject(new Error("later"))', 'later'],
  ])('the failure of %s is reported', async (code, message) => {
    const { run } = packageOf({ 'index.mjs': `export async function run() { ${code}; }` });
    const error = await failure(run());
    expect([error.code, error.message]).toEqual(['tool_failed', message]);
  });

  test.each([
    [
      'index.mjs',
      'export const a = 1;\nexport function run( {',
      /^the code of demo\/run has a syntax error at index\.mjs:\d: /,
    ],
    [
      'index.cjs',
      'exports.run = () => 1;\nlet let = 1;',
      /^the code of demo\/run has a syntax error at index\.cjs:2: /,
    ],
    ['index.mjs', 'import "./broken.mjs";', /^the code of demo\/run has a syntax error at broken\.mjs:2: /],
    [
      'agent.py',
      'def handler(event)\n    return 1\n',
      /^the code of demo\/handler has a syntax error at agent\.py:1: expected ':'$/,
    ],
    [
      'index.mjs',
      'import "no-such-package";',
      /^the code of demo\/run imports a module that was not found: .*no-such-package/,
    ],
    [
      'index.mjs',
      'import "./nowhere.mjs";',
      /^the code of demo\/run imports a module that was not found: .*nowhere\.mjs/,
    ],
    [
      'index.cjs',
      'require("no-such-package");',
      /^the code of demo\/run imports a module that was not found: .*no-such-package/,
    ],
    [
      'agent.py',
      'import no_such_package\n',
      /^the code of demo\/handler imports a module that was not found: .*no_such_package/,
    ],
    ['index.mjs', 'throw new Error("not today");', /^the code of demo\/run failed to load: not today$/],
    [
      'agent.py',
      'raise ValueError("not today")\n',
      /^the code of demo\/handler failed to load: ValueError: not today$/,
    ],
  ])('code that cannot be loaded is reported: %s, %s', async (path, code, message) => {
    const { run, pool } = packageOf({ [path]: code, 'broken.mjs': 'export {};\nlet let;' });
    const error = await failure(run());
    expect(error.code).toBe('tool_failed');
    expect(error.message).toMatch(message);
    await gone(pool);
  });

  test('a program that fails to start is not started again for a while', async () => {
    const { run, pool } = packageOf(
      { 'agent.py': 'raise ValueError("not today")\n' },
      {},
      { backoffMs: 1500 },
    );
    await failure(run());
    await gone(pool);
    const before = performance.now();
    const again = await failure(run());
    expect(performance.now() - before).toBeLessThan(20);
    expect(again.message).toContain('not today');
    expect(again.hint).toMatch(/^it failed to start a moment ago; try again in [12] s$/);
    expect(pool.state.processes).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    await failure(run());
    expect((await failure(run())).hint).toMatch(/2 times in a row; try again in 3 s/);
  });
});

/** Everything that code can do to its own process. */
const misbehaviors: readonly (readonly [string, string, string, RegExp])[] = [
  ['exits', 'index.mjs', 'process.exit(3)', /^demo\/run exited with code 3$/],
  ['exits with 0', 'index.mjs', 'process.exit(0)', /^demo\/run exited with code 0$/],
  [
    'kills itself',
    'index.mjs',
    'process.kill(process.pid, "SIGKILL"); await wait()',
    /^demo\/run was killed by SIGKILL$/,
  ],
  [
    'throws in a timer',
    'index.mjs',
    'setTimeout(() => { throw new Error("late"); }); await wait()',
    /^demo\/run stopped: uncaught error: late$/,
  ],
  [
    'leaves a rejected promise',
    'index.mjs',
    'Promise.reject(new Error("lost")); await wait()',
    /^demo\/run stopped: unhandled promise rejection: lost$/,
  ],
  [
    'prints and exits',
    'index.mjs',
    'console.error("goodbye"); process.exit(3)',
    /^demo\/run exited with code 3:\ngoodbye$/,
  ],
  [
    'writes into the channel',
    'index.mjs',
    'fs.writeSync(3, "nonsense\\n"); await wait()',
    /^demo\/run wrote an unexpected message to the answer channel$/,
  ],
  [
    'answers an unknown request',
    'index.mjs',
    'fs.writeSync(3, "{\\"id\\":99,\\"value\\":1}\\n"); await wait()',
    /^demo\/run answered a request that was not sent$/,
  ],
  [
    'floods the channel',
    'index.mjs',
    'for (;;) fs.writeSync(3, "x".repeat(1e6))',
    /^demo\/run wrote more to the answer channel than an answer may contain$/,
  ],
  ['exits', 'agent.py', 'sys.exit(3)', /^demo\/run exited with code 3$/],
  ['exits with a message', 'agent.py', 'sys.exit("goodbye")', /^demo\/run exited with code 1:\ngoodbye$/],
  ['exits at once', 'agent.py', 'os._exit(4)', /^demo\/run exited with code 4$/],
  ['kills itself', 'agent.py', 'os.kill(os.getpid(), 9)', /^demo\/run was killed by SIGKILL$/],
  [
    'reads an invalid address',
    'agent.py',
    'import ctypes; ctypes.string_at(0)',
    /^demo\/run was killed by SIGSEGV/,
  ],
  ['closes the channel', 'agent.py', 'os.close(3)', /^demo\/run exited with code 70$/],
];

function misbehavingCode(path: string, statement: string): Record<string, string> {
  return {
    [path]: path.endsWith('.py')
      ? `import os, sys\ndef run(event):\n    ${statement}\ndef well(event):\n    return "well"\n`
      : `import fs from 'node:fs'; const wait = () => new Promise((it) => setTimeout(it, 60_000));
         export async function run() { ${statement}; } export const well = () => 'well';`,
  };
}

describe('code that ends its process', () => {
  test.each(misbehaviors)(
    'code that %s fails its own call only (%s: %s)',
    async (_, path, statement, message) => {
      const { run, value, pool } = packageOf(misbehavingCode(path, statement));
      const convention = path.endsWith('.py') ? 'envelope' : 'arguments-context';
      const before = performance.now();
      const error = await failure(run({ export: 'run', convention }));
      expect(error.message).toMatch(message);
      expect(['tool_failed', 'tool_bad_output']).toContain(error.code);
      expect(performance.now() - before).toBeLessThan(5000);
      // The next call gets a working process.
      expect(await value({ export: 'well', convention })).toBe('well');
      await expect.poll(() => pool.state).toEqual({ processes: 1, busy: 0, waiting: 0 });
    },
  );

  test.each(both)('another call of the same package continues: %s', async (_, path) => {
    const { run } = packageOf(
      {
        'agent.mjs': `const wait = (ms) => new Promise((it) => setTimeout(it, ms));
        export async function handler({ tool }) { if (tool === 'slow') { await wait(600); return 'done'; } if (tool === 'hang') for (;;); process.exit(1); }`,
        'agent.py':
          'import os, time\ndef handler(event):\n    if event["tool"] == "slow":\n        time.sleep(0.6)\n        return "done"\n    while event["tool"] == "hang":\n        pass\n    os._exit(1)\n',
      },
      { entry: path },
    );
    const call = (tool: string, timeoutMs = 20_000) => run({ convention: 'envelope', tool, timeoutMs });
    const slow = call('slow');
    const [crash, hang] = await Promise.all([failure(call('crash')), failure(call('hang', 400))]);
    expect([crash.code, hang.code]).toEqual(['tool_failed', 'timeout']);
    expect(hang.message).toBe('demo/hang was stopped after 0.4 s');
    expect((await slow).value).toBe('done');
  });

  test('a crash between two calls fails no call', async () => {
    const code =
      'export const run = () => { setTimeout(() => process.exit(1), 20); return process.hrtime.bigint().toString(); };';
    const { value, pool } = packageOf({ 'index.mjs': code });
    const first = await value();
    await gone(pool);
    expect(await value()).not.toBe(first);
  });

  test('code with its own handler of uncaught errors keeps its process', async () => {
    const code = `process.on('uncaughtException', () => {});
      export const run = () => new Promise((it) => { setTimeout(() => { throw new Error('late'); }, 1); setTimeout(() => it('here'), 50); });`;
    const { value, pool } = packageOf({ 'index.mjs': code });
    expect(await value()).toBe('here');
    expect(pool.state.processes).toBe(1);
  });

  test('running out of memory is reported', async () => {
    const node = packageOf({
      'index.mjs': 'export function run() { const a = []; for (;;) a.push(new Array(1e6).fill(0.5)); }',
    });
    expect((await failure(node.run())).code).toBe('out_of_memory');
    const python = packageOf({ 'agent.py': 'def handler(event):\n    return len(bytearray(3 << 30))\n' });
    expect((await failure(python.run())).code).toBe('out_of_memory');
  });
});

describe('stopping', () => {
  test.each(both)('a canceled call ends its process at once: %s', async (_, path) => {
    const { run, pool } = packageOf(
      {
        'agent.mjs': 'export const handler = () => { for (;;); };',
        'agent.py': 'def handler(event):\n    while True:\n        pass\n',
      },
      { entry: path },
    );
    const stop = new AbortController();
    const call = failure(run({ convention: 'envelope', signal: stop.signal }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    const before = performance.now();
    expect((await call).code).toBe('canceled');
    expect(performance.now() - before).toBeLessThan(50);
    await gone(pool);
  });

  test('a call that was canceled before it started runs nothing', async () => {
    const { run, pool } = packageOf({ 'index.mjs': 'export const run = () => 1;' });
    expect((await failure(run({ signal: AbortSignal.abort() }))).code).toBe('canceled');
    expect(pool.state.processes).toBe(0);
  });

  test('code that hangs while it loads is stopped by the time limit', async () => {
    const { run, pool } = packageOf({ 'index.mjs': 'for (;;);' });
    expect((await failure(run({ timeoutMs: 500 }))).code).toBe('timeout');
    await gone(pool);
  });

  test('an idle process ends, and a closed pool leaves no process', async () => {
    const { value, pool } = packageOf(
      { 'agent.py': 'import os\ndef handler(event):\n    return 1\n' },
      {},
      { idleMs: 150 },
    );
    await value();
    expect(pool.state.processes).toBe(1);
    await gone(pool);
    const busy = packageOf({ 'index.mjs': 'export const run = () => new Promise(() => {});' });
    const call = failure(busy.run());
    const waited = failure(busy.run());
    await new Promise((resolve) => setTimeout(resolve, 100));
    await busy.pool.close();
    expect(busy.pool.state).toEqual({ processes: 0, busy: 0, waiting: 0 });
    expect((await call).code).toBe('canceled');
    expect((await waited).code).toBe('canceled');
    expect((await failure(busy.run())).message).toBe('the host is shutting down');
  });
});

describe('reuse of processes', () => {
  const counter = 'let n = 0; export const run = () => ++n;';

  test('one process serves several calls', async () => {
    const { value } = packageOf({ 'index.mjs': counter });
    for (let n = 1; n <= 5; n++) expect(await value()).toBe(n);
  });

  test('another principal gets another process', async () => {
    const { value, pool } = packageOf({ 'index.mjs': counter });
    expect([await value(), await value({ principal: 'else' }), await value()]).toEqual([1, 1, 2]);
    expect(pool.state.processes).toBe(2);
  });

  test('a process that used much of its processor time is replaced before the limit stops it', async () => {
    const code =
      'const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; }; let n = 0; export const run = () => { const end = used() + 300; while (used() < end); return ++n; };';
    const { value } = packageOf({ 'index.mjs': code }, { cpuSeconds: 2 });
    const counts: Json[] = [];
    for (let n = 0; n < 7; n++) counts.push(await value());
    expect(Math.max(...counts.map(Number))).toBeGreaterThan(1);
    expect(Math.max(...counts.map(Number))).toBeLessThan(7);
  });

  test('slot values never appear in a command line or environment', async () => {
    const slots = [slot('token')];
    const code = `import { readFileSync, readdirSync } from 'node:fs';
      export const run = (_, { config }) => ({
        seen: readdirSync('/proc').filter((it) => /^\\d+$/.test(it)).some((it) => { try { return readFileSync('/proc/' + it + '/cmdline', 'utf8').includes(config.token) || readFileSync('/proc/' + it + '/environ', 'utf8').includes(config.token); } catch { return false; } }),
        own: readFileSync('/proc/self/cmdline', 'utf8').includes('index.mjs'),
      });`;
    const { value } = packageOf({ 'index.mjs': code }, { slots, values: { token: 'q7-very-secret' } });
    const call = value();
    const outside = readdirSync('/proc')
      .filter((it) => /^\d+$/.test(it))
      .some((it) => {
        try {
          return readFileSync(`/proc/${it}/cmdline`, 'utf8').includes('q7-very-secret');
        } catch {
          return false;
        }
      });
    // Control: the search does find text in a command line.
    expect(await call).toEqual({ seen: false, own: true });
    expect(outside).toBe(false);
  });

  test('the worker leaves no globals for the code', async () => {
    const code = `export const run = () => ({ require: typeof require, module: typeof module, argv: process.argv.length });`;
    const { value } = packageOf({ 'index.mjs': code });
    expect(await value()).toEqual({ require: 'undefined', module: 'undefined', argv: 2 });
  });

  test('code can fork and use threads', async () => {
    const code = `import { fork } from 'node:child_process'; import { Worker } from 'node:worker_threads';
      const heard = (it) => new Promise((done, fail) => { it.once('message', done); it.once('error', fail); });
      export const run = async () => [await heard(fork(new URL('child.mjs', import.meta.url))), await heard(new Worker(new URL('thread.mjs', import.meta.url)))];`;
    const { value } = packageOf({
      'index.mjs': code,
      'child.mjs': 'process.send("child"); process.disconnect();',
      'thread.mjs': 'import { parentPort } from "node:worker_threads"; parentPort.postMessage("thread");',
    });
    expect(await value()).toEqual(['child', 'thread']);
  });

  test('a Python client keeps its event loop between calls', async () => {
    const code = `import asyncio
kept = None
async def handler(event):
    global kept
    await asyncio.sleep(0)
    loop = asyncio.get_running_loop()
    kept = kept or loop.create_future()
    return kept.get_loop() is loop
`;
    const { value } = packageOf({ 'agent.py': code });
    expect([await value(), await value(), await value()]).toEqual([true, true, true]);
  });
});

describe('network', () => {
  const codes = {
    'agent.mjs': `let late;
      const get = async (url) => { const it = await fetch(url); if (!it.ok) throw new Error('status ' + it.status); return it.text(); };
      export async function handler({ tool, input }) {
        if (tool === 'late') { setTimeout(() => { late = get(input.url).catch((it) => 'refused'); }, 100); return 'later'; }
        return tool === 'late_result' ? await late : await get(input.url);
      }`,
    'agent.py': `import threading, time, urllib.request
late = []
def get(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()
def later(url):
    time.sleep(0.1)
    try:
        late.append(get(url))
    except Exception:
        late.append("refused")
def handler(event):
    if event["tool"] == "late":
        threading.Thread(target=later, args=(event["input"]["url"],)).start()
        return "later"
    return late[0] if event["tool"] == "late_result" else get(event["input"]["url"])
`,
  };

  test.each(both)(
    'the network is open to granted hosts during a call and closed between calls: %s',
    async (_, path) => {
      const asked: Record<number, number> = {};
      const servers = [1, 2].map(() =>
        createServer(({ socket: { localPort = 0 } }, response) => {
          asked[localPort] = (asked[localPort] ?? 0) + 1;
          response.end('hello');
        }).listen(0, '127.0.0.1'),
      );
      await Promise.all(servers.map((it) => once(it, 'listening')));
      const [port = 0, elsewhere] = servers.map((it) => (it.address() as AddressInfo).port);
      try {
        const network = {
          reach: { hosts: [{ host: '127.0.0.1', port }], granted: [{ host: '127.0.0.1', port }] },
          anyPublic: false,
          holdsSecret: false,
        };
        const { value, run, refused } = packageOf(codes, { entry: path, network });
        const input = { url: `http://127.0.0.1:${port}/` };
        const call = (tool: string) => value({ convention: 'envelope', tool, input });
        expect(await call('now')).toBe('hello');
        expect(await call('late')).toBe('later');
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(await call('late_result')).not.toBe('hello');
        // Control: the same process reaches the host during the next call.
        expect(await call('now')).toBe('hello');
        const url = `http://127.0.0.1:${elsewhere}/`;
        const error = await failure(run({ convention: 'envelope', tool: 'now', input: { url } }));
        expect(error.code).toBe('network_denied');
        expect(error.message).toContain(`demo/now was denied access to 127.0.0.1:${elsewhere}`);
        expect(refused).toContain(`127.0.0.1:${elsewhere}`);
        expect(asked).toEqual({ [port]: 2 });
      } finally {
        for (const it of servers) it.close();
      }
    },
  );

  test('without network permission, the failure says so', async () => {
    const { run } = packageOf(codes, { entry: 'agent.py' });
    const error = await failure(run({ tool: 'now', input: { url: 'http://127.0.0.1:1/' } }));
    expect(error.code).toBe('network_denied');
  });
});

test.each([
  ['index.ts', 'export const run = (a: { n: number }): unknown => [a.n + 1, process.getuid?.() === 0];'],
  ['agent.py', 'import os\ndef run(args, context):\n    return [args["n"] + 1, os.getuid() == 0]\n'],
])('functions also run when the sandbox is turned off: %s', async (path, code) => {
  const { value } = packageOf({ [path]: code }, { sandbox: noSandbox() });
  const call = { export: 'run', convention: 'arguments-context' } as const;
  expect(await value({ ...call, input: { n: 1 } })).toEqual([2, false]);
  expect(await value({ ...call, input: { n: 2 } })).toEqual([3, false]);
});

describe('TypeScript runs without a build step', () => {
  test('every way to import another file works', async () => {
    const { value } = packageOf({
      'index.ts': `import type { Shape } from './shape';
import { Unused, used } from './lib/used.ts';
import { js } from './lib/js.js';
import { bare } from './lib/bare';
import folder from './lib';
import { plain } from './plain.mjs';
export { shown } from './lib/bare';
enum Color { Red = 1, Green }
class Box { constructor(private readonly content: number) {} get(): number { return this.content; } }
export async function run(args: Shape): Promise<unknown> {
  const { later } = await import('./lib/later');
  return [used satisfies string, js, bare, folder, plain, later, Color.Green, new Box(7).get(), args.a!];
}`,
      'shape.ts': 'export interface Shape { a?: number }',
      'lib/used.ts': 'export interface Unused {}\nexport const used: string = "used";',
      'lib/js.ts': 'export const js: string = "js";',
      'lib/bare.ts': 'export const bare: string = "bare"; export const shown = 1;',
      'lib/index.ts': 'import { up } from "../up";\nexport default up as string;',
      'lib/later.mts': 'export const later = "later" as const;',
      'up.ts': 'export const up: string = "folder";',
      'plain.mjs': 'export const plain = "plain";',
    });
    expect(await value({ input: { a: 1 } })).toEqual([
      'used',
      'js',
      'bare',
      'folder',
      'plain',
      'later',
      2,
      7,
      1,
    ]);
  });

  test('a CommonJS package works', async () => {
    const { value } = packageOf({
      'index.ts':
        'import { sep } from "node:path";\nimport { used } from "./lib/used";\nimport old = require("./old.cts");\nexport const run = (): unknown => [sep, used, old.n, typeof __dirname];',
      'lib/used.ts': 'export const used: string = "used";',
      'old.cts': 'const n: number = 5;\nexport = { n };',
      'package.json': '{"type":"commonjs"}',
    });
    expect(await value()).toEqual(['/', 'used', 5, 'string']);
  });

  test('an ES module package with top-level await and `handlers` works', async () => {
    const { value } = packageOf({
      'index.ts':
        'const n = await Promise.resolve(4);\nexport const handlers: Record<string, (a: object) => unknown> = { run: () => n };',
      'package.json': '{"type":"module"}',
    });
    expect(await value()).toBe(4);
  });
});

async function gone(pool: WorkerPool): Promise<void> {
  await expect.poll(() => pool.state, { timeout: 5000 }).toEqual({ processes: 0, busy: 0, waiting: 0 });
}
