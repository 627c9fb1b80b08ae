// Failures specific to processes: crash, flood, not stopping, not reading, partial lines.
import { afterEach, describe, expect, test } from 'vitest';
import type { HostError } from '../../../../src/model/host-error.js';
import type { SlotValues } from '../../../../src/model/slot.js';
import { Rig } from '../../../support/nexo/bench.js';
import { loopbackServer, until } from '../../../support/toolwharf.js';

const rig = new Rig();

afterEach(() => rig.close());

function failure(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    () => Promise.reject(new Error('no failure')),
    (error) => error,
  );
}

const header = `import json, os, sys
def answer(request, **rest):
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **rest}), flush=True)
`;

/** A Python extension; `body` handles its calls and can use `request` and `given`. */
function python(body: string) {
  const lines = body.split('\n').map((it) => `        ${it}`);
  const code = `${header}
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        answer(request, result={"tools": [{"name": "act"}], "hooks": []})
    elif request["method"] == "tools/call":
        given = request["params"]["arguments"]
${lines.join('\n')}
`;
  return {
    own: { files: { 'extension.py': code }, command: ['python3', 'extension.py'] },
    tools: ['act'],
    hooks: [],
  };
}

describe('an extension that ends', () => {
  test('fails every pending call at once, with its exit code and last output', async () => {
    const bench = await rig.connect('stdio');
    const open = [failure(bench.call('never')), failure(bench.call('wait', { ms: 60_000, value: 1 }))];
    const began = performance.now();
    const crashed = failure(bench.call('crash', { code: 7 }));
    for (const error of await Promise.all([...open, crashed])) {
      expect(error).toMatchObject({
        code: 'upstream_failed',
        message: 'the extension contract exited with code 7:\nthe disk is on fire',
      });
    }
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await bench.upstream.ended).toEqual({
      kind: 'exited',
      reason: 'the extension contract exited with code 7',
    });
    expect(await failure(bench.call('echo'))).toMatchObject({ code: 'upstream_failed' });
  });

  test('during the handshake fails the connection at once', async () => {
    expect(await failure(rig.connect('stdio', { behavior: { handshake: 'crash' } }))).toMatchObject({
      code: 'upstream_failed',
      message: 'the extension contract exited with code 3',
    });
  });

  test('by a signal is reported with the signal', async () => {
    const bench = await rig.connect('stdio', python('os.kill(os.getpid(), 11)'));
    expect((await failure(bench.call('act'))).message).toContain('was killed by SIGSEGV');
  });

  test('on request answers the shutdown and exits by itself', async () => {
    const bench = await rig.connect('stdio', { times: { grace: 30_000 } });
    await bench.upstream.close('not needed any more');
    expect(await bench.upstream.ended).toEqual({ kind: 'requested', reason: 'not needed any more' });
  });

  test('by kill fails its pending calls', async () => {
    const bench = await rig.connect('stdio', { behavior: { shutdown: 'ignore' }, times: { grace: 60_000 } });
    const open = failure(bench.call('never'));
    bench.upstream.kill?.();
    expect(await open).toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('was stopped'),
    });
    expect(await bench.upstream.ended).toMatchObject({ kind: 'requested' });
  });

  test('only after its grace period if it ignores the shutdown request', async () => {
    const bench = await rig.connect('stdio', { behavior: { shutdown: 'ignore' }, times: { grace: 300 } });
    const open = failure(bench.call('never'));
    const began = performance.now();
    await bench.upstream.close('enough');
    expect(performance.now() - began).toBeGreaterThan(250);
    expect(await open).toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('was stopped: enough'),
    });
    expect(await bench.upstream.ended).toMatchObject({ kind: 'requested' });
  });
});

describe('an extension that writes too much', () => {
  test('to standard output is ended', async () => {
    const bench = await rig.connect('stdio');
    const error = await failure(bench.call('chatter', { stream: 'stdout', bytes: 1_000_000_000 }));
    expect(error).toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('wrote too much unsolicited data'),
    });
    expect((await bench.upstream.ended).kind).toBe('protocol-error');
    expect(bench.logs.length).toBeLessThan(1000);
  });

  test('is tolerated up to a limit', async () => {
    const bench = await rig.connect('stdio');
    const answer = await bench.call('chatter', { stream: 'stdout', bytes: 1_000_000 });
    expect(answer.value).toBe('done');
  });

  test('to standard error is read, and the log is shortened', async () => {
    const bench = await rig.connect('stdio');
    const answer = await bench.call('chatter', { stream: 'stderr', bytes: 20_000_000 });
    expect(answer.value).toBe('done');
    await until(() => bench.logs.length >= 200);
    expect(bench.logs.length).toBeLessThan(1000);
    await bench.upstream.close('done');
    expect(bench.logs.join('\n')).toMatch(/\([\d,]+ lines omitted\)/);
  });

  test('in one very long line fails only that call', async () => {
    const body = `if given.get("long"):
    sys.stdout.write('{"jsonrpc": "2.0", "id": %d, "result": "' % request["id"])
    for _ in range(60):
        sys.stdout.write("x" * 100_000)
    sys.stdout.write('"}\\n')
    sys.stdout.flush()
else:
    answer(request, result="short")`;
    const bench = await rig.connect('stdio', python(body));
    const [long, short] = await Promise.all([failure(bench.call('act', { long: true })), bench.call('act')]);
    expect(long).toMatchObject({ code: 'output_too_large' });
    expect(short.value).toBe('short');
  });
});

test('an answer that arrives in pieces is joined, and lines that are not UTF-8 are skipped', async () => {
  const body = `text = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": "ø" * 5}, ensure_ascii=False)
data = b"\\xff\\xfe\\n" + text.encode() + b"\\n"
for at in range(len(data)):
    os.write(1, data[at:at + 1])`;
  const bench = await rig.connect('stdio', python(body));
  expect((await bench.call('act')).value).toBe('øøøøø');
});

test('an extension that does not read gets a bounded amount of data', async () => {
  const bench = await rig.connect('stdio', python('import time\ntime.sleep(60)'));
  const text = 'x'.repeat(1_000_000);
  const calls = Array.from({ length: 30 }, () => failure(bench.call('act', { text }, { timeoutMs: 1500 })));
  const codes = (await Promise.all(calls)).map((it) => it.code);
  expect(codes).toContain('timeout');
  expect(codes.filter((it) => it === 'upstream_failed').length).toBeGreaterThan(5);
});

test('more than 256 pending calls are rejected', async () => {
  const bench = await rig.connect('stdio');
  const calls = Array.from({ length: 300 }, () => failure(bench.call('never', {}, { timeoutMs: 1500 })));
  const codes = (await Promise.all(calls)).map((it) => it.code);
  expect(codes.filter((it) => it === 'timeout')).toHaveLength(256);
  expect(codes.filter((it) => it === 'upstream_failed')).toHaveLength(44);
});

test('a missing program is named in the error', async () => {
  const own = { files: { 'x.txt': '' }, command: ['no-such-program-here'] };
  expect(await failure(rig.connect('stdio', { own, tools: ['act'], hooks: [] }))).toMatchObject({
    code: 'runtime_missing',
    message: expect.stringContaining('no-such-program-here'),
  });
});

describe('the sandbox of an extension', () => {
  const environment = 'answer(request, result=dict(os.environ))';

  test('contains only the environment variables that it declares', async () => {
    process.env.TOOLWHARF_TEST_LEAK = 'of the host';
    rig.later(() => delete process.env.TOOLWHARF_TEST_LEAK);
    const slots: SlotValues = new Map([
      ['WEATHER_KEY', { value: 'k-1', secret: true, recipients: { kind: 'nobody' } }],
    ]);
    const bench = await rig.connect('stdio', { ...python(environment), slots, env: ['WEATHER_KEY'] });
    const { value } = await bench.call('act');
    expect(value).toMatchObject({ WEATHER_KEY: 'k-1' });
    const usual = ['HOME', 'LANG', 'LC_CTYPE', 'PATH', 'PWD', 'WEATHER_KEY'];
    expect(Object.keys(value as object).filter((it) => !usual.includes(it))).toEqual([]);
  });

  test('reaches only granted hosts; denied hosts are reported with the call', async () => {
    const server = await loopbackServer((_request, response) => response.end('hello'));
    rig.later(() => server.close());
    const body = `import urllib.request
try:
    text = urllib.request.urlopen(given["url"], timeout=5).read().decode()
    answer(request, result=text)
except Exception as error:
    answer(request, error={"code": -32000, "message": str(error)})`;
    const host = { host: '127.0.0.1', port: server.port };
    const network = { reach: { hosts: [host], granted: [host] }, anyPublic: false, holdsSecret: false };
    const bench = await rig.connect('stdio', { ...python(body), network });
    const open = await bench.call('act', { url: `http://127.0.0.1:${server.port}/` });
    expect(open.value).toBe('hello');
    const denied: string[] = [];
    const onNetworkDenied = (hosts: readonly string[]) => denied.push(...hosts);
    const error = await failure(bench.call('act', { url: 'http://127.0.0.1:9/' }, { onNetworkDenied }));
    expect(error.code).toBe('tool_failed');
    expect(denied).toEqual(['127.0.0.1:9']);
  });
});
