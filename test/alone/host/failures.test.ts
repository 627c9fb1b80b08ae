// Everything that can go wrong in a program: each failure has its own code and says why and what to do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import {
  type Failed,
  failureOf,
  findagent,
  type PythonOptions,
  pythonTool,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const connect = 'socket.create_connection(("127.0.0.1", 9), 2)';

const scripts: readonly PythonOptions[] = [
  {
    name: 'exits',
    body: ['for n in range(40): print("line", n, file=sys.stderr)', 'sys.exit(3)'],
  },
  { name: 'raises', body: ['raise RuntimeError("the drawer is stuck")'] },
  { name: 'silent', body: ['sys.stdout = open("/dev/null", "w")'] },
  { name: 'no_json', body: ['print("hello there"); os._exit(0) if sys.stdout.flush() is None else None'] },
  { name: 'not_a_number', body: ['return {"n": float("nan")}'] },
  { name: 'wrong_shape', output: '{type: object, required: [n]}', body: ['return {"m": 1}'] },
  { name: 'wrong_type', body: ['return [1]'] },
  { name: 'sleeps', body: ['import time; time.sleep(60)'] },
  { name: 'latin', body: ['sys.stdout.buffer.write(b"\\"caf\\xe9\\"\\n"); sys.stdout.flush(); os._exit(0)'] },
  { name: 'killed', body: ['import signal', 'os.kill(os.getpid(), signal.SIGSEGV)'] },
  { name: 'suicide', body: ['import signal', 'os.kill(os.getpid(), signal.SIGKILL)'] },
  { name: 'nested', output: '{type: array}', body: ['return json.loads("[" * 500 + "]" * 500)'] },
  { name: 'connects', head: ['import socket'], body: [connect] },
  {
    name: 'resolves',
    head: ['import socket'],
    body: ['socket.getaddrinfo("desk.invalid", 443)'],
  },
  {
    name: 'hides_it',
    head: ['import socket'],
    body: [`try:`, `    ${connect}`, 'except OSError as error:', '    return {"error": str(error)}'],
  },
  {
    name: 'reaches_out',
    network: true,
    head: ['import urllib.request'],
    body: ['return {"read": urllib.request.urlopen(text, timeout=5).read().decode()}'],
  },
  {
    name: 'hides_refusal',
    network: true,
    head: ['import urllib.request'],
    body: [
      'try:',
      '    urllib.request.urlopen(text, timeout=5).read()',
      'except Exception as error:',
      '    return {"ok": False}',
    ],
  },
];

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  const files = Object.fromEntries(scripts.map((it) => [`${it.name}.py`, pythonTool(it)]));
  const program = (id: string, command: readonly string[]): JsonObject => ({
    [`${id}/toolspace.json`]: toolspace({
      id,
      command,
      actions: [
        {
          name: 'run',
          invocation: { kind: 'subcommand', argv_template: ['go'] },
          output: { format: 'text' },
        },
      ],
    }),
  });
  bench = await workbench({
    ...files,
    ...(program('no-binary', ['toolwharf-no-such-program', 'data.txt']) as Record<string, string>),
    ...(program('no-file', ['./run.sh']) as Record<string, string>),
    ...(program('no-python', ['python3.4', 'x.py']) as Record<string, string>),
    'no-binary/data.txt': 'data',
    'no-python/x.py': 'print("ran")\n',
    'unloadable/findagent.json': findagent('Unloadable', {
      kind: 'code-bundle',
      entrypoint: { path: 'agent.mjs', export: 'handler' },
      runtime: { kind: 'node' },
      mcp: { mode: 'wrap' },
      allowed_hosts: [],
      tools: [{ name: 'run', description: 'Never runs.' }],
    }),
    'unloadable/agent.mjs':
      'import { nothing } from "./not-there.mjs";\nexport const handler = () => nothing;\n',
  });
  session = await bench.session();
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

async function failure(tool: string, given = '', of: Session = session): Promise<Failed> {
  const failed = await failureOf(of.call({ tool, arguments: given === '' ? {} : { text: given } }));
  // Every message names the tool and shows no internals.
  expect(failed.message).toContain(tool);
  expect(`${failed.message} ${failed.hint}`).not.toMatch(/!|undefined|\[object|HostError/);
  return failed;
}

describe('a program that fails', () => {
  test('an exit code is reported with the last lines of standard error', async () => {
    const failed = await failure('exits');
    expect(failed).toMatchObject({ status: 'error', code: 'tool_failed' });
    expect(failed.message).toContain('exited with code 3');
    expect(failed.message).toContain('line 39');
    expect(failed.message).not.toContain('line 2\n');
  });

  test('an exception is reported with its text', async () => {
    expect((await failure('raises')).message).toMatch(
      /exited with code 1[\s\S]*RuntimeError: the drawer is stuck/,
    );
  });

  test('a signal is reported with its name', async () => {
    expect(await failure('killed')).toMatchObject({ code: 'tool_failed' });
    expect((await failure('killed')).message).toContain('SIGSEGV');
    expect((await failure('suicide')).message).toContain('SIGKILL');
  });

  test('a timeout is reported with the limit', async () => {
    const started = performance.now();
    const late = await failureOf(session.call({ tool: 'sleeps', arguments: {}, timeoutMs: 400 }));
    expect(late).toMatchObject({ status: 'timeout', code: 'timeout' });
    expect(late.message).toContain('0.4 s');
    expect(late.hint).toContain('--timeout');
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('a missing file that the code imports is reported', async () => {
    const failed = await failureOf(session.call({ tool: 'unloadable/run', arguments: {} }));
    expect(failed.code).toBe('tool_failed');
    expect(failed.message).toContain('not-there.mjs');
    expect(failed.hint).toContain('add the file to the package');
  });
});

describe('an invalid answer', () => {
  test('no output is reported', async () => {
    const failed = await failure('silent');
    expect(failed.code).toBe('tool_no_output');
    expect(failed.hint).toContain('one line of JSON');
  });

  test('output that is not JSON is reported', async () => {
    expect(await failure('no_json')).toMatchObject({
      code: 'tool_bad_output',
      message: expect.stringContaining('"hello there"'),
      hint: expect.stringContaining('standard error'),
    });
    expect((await failure('not_a_number')).code).toBe('tool_bad_output');
  });

  test('output that is not UTF-8 is reported', async () => {
    expect(await failure('latin')).toMatchObject({
      code: 'tool_bad_output',
      message: expect.stringContaining('UTF-8'),
    });
  });

  test('output that differs from the described one is kept, with a warning', async () => {
    const call = (tool: string) => session.call({ tool, arguments: {} });
    expect(await call('wrong_shape')).toMatchObject({
      status: 'ok',
      result: { m: 1 },
      warnings: [expect.stringContaining("must have required property 'n'")],
    });
    expect(await call('wrong_type')).toMatchObject({
      status: 'ok',
      warnings: [expect.stringContaining('must be object')],
    });
  });

  test('output that is nested too deeply is reported', async () => {
    expect(await failure('nested')).toMatchObject({
      code: 'tool_bad_output',
      message: expect.stringContaining('nested'),
    });
  });
});

describe('something that is missing', () => {
  test('a missing program of the machine is reported', async () => {
    const failed = await failureOf(session.call({ tool: 'no-binary/run', arguments: {} }));
    expect(failed.code).toBe('runtime_missing');
    expect(failed.message).toMatch(/toolwharf-no-such-program is not installed in \/usr\/bin/);
  });

  test('missing code of the package is reported', async () => {
    const failed = await failureOf(session.call({ tool: 'no-file/run', arguments: {} }));
    expect(failed.code).toBe('runtime_missing');
    expect(failed.message).toContain('not in its folder');
  });

  test('another Python version is used with a note, or rejected with strictRuntime', async () => {
    const { packages } = await session.packages();
    const found = packages.find((it) => it.id === 'no-python');
    expect(found?.reasons.join(' ')).toContain('3.4');
    const strict = await bench.session({ policy: { strictRuntime: true } });
    const failed = await failureOf(strict.call({ tool: 'no-python/run', arguments: {} }));
    expect(['runtime_missing', 'unavailable']).toContain(failed.code);
    expect(failed.message).toContain('3.4');
  });
});

describe('network', () => {
  test.each(['connects', 'resolves'])(
    '%s without network permission fails with network_denied',
    async (tool) => {
      const failed = await failure(tool);
      expect(failed).toMatchObject({ status: 'denied', code: 'network_denied' });
      expect(failed.message).toContain('has no network');
      expect(failed.hint).toContain('manifest');
    },
  );

  test('a hidden network failure becomes a warning', async () => {
    const answer = await session.call({ tool: 'hides_it', arguments: {} });
    expect(answer).toMatchObject({ status: 'ok', warnings: [expect.stringContaining('no network')] });
  });

  test('a denied host is reported with the grant for it, and is in the audit log', async () => {
    const failed = await failure('reaches_out', 'http://127.0.0.1:9/');
    expect(failed).toMatchObject({ status: 'denied', code: 'network_denied' });
    expect(failed.message).toContain('127.0.0.1:9');
    expect(failed.hint).toContain('--allow net:127.0.0.1:9');
    expect((await bench.host.auditTail(1))[0]).toMatchObject({
      kind: 'outcome',
      body: { status: 'denied', deniedHosts: ['127.0.0.1:9'] },
    });
  });

  test('a denied host that the tool hides becomes a warning, and is in the audit log', async () => {
    const answer = await session.call({ tool: 'hides_refusal', arguments: { text: 'http://127.0.0.1:9/' } });
    expect(answer).toMatchObject({
      status: 'ok',
      result: { ok: false },
      warnings: [expect.stringContaining('127.0.0.1:9')],
    });
    expect((await bench.host.auditTail(1))[0]).toMatchObject({
      body: { status: 'ok', deniedHosts: ['127.0.0.1:9'] },
    });
  });
});
