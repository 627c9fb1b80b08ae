// The status of extensions agrees with what a call answers: nothing is ready that cannot answer.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Rig } from '../../../support/nexo/bench.js';
import { type NatsTestServer, startNatsServer } from '../../../support/nexo/nats-server.js';
import { failureOf, resultOf, workbench } from '../../../support/workbench.js';

let nats: NatsTestServer;
const rig = new Rig(() => nats.url);

beforeAll(async () => {
  nats = await startNatsServer();
});

afterEach(() => rig.close());

afterAll(() => nats.close());

interface Shape {
  readonly transport: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly capabilities?: string;
  /** Further lines of [plugin]. */
  readonly plugin?: string;
  readonly natsUrl?: string;
  readonly allow?: readonly string[];
}

function manifestOf({ transport, capabilities = 'tools = ["echo"]', plugin = '' }: Shape): string {
  return `[plugin]\nid = "shape"\nversion = "1.0.0"\n${plugin}\n[capabilities]\n${capabilities}\n[transport]\n${transport}\n`;
}

/** The status as a session that uses packages sees it, then the answer of a call, then what one that looks sees. */
async function observe(shape: Shape, tool = 'shape/echo') {
  const files = Object.entries(shape.files ?? {}).map(([name, text]) => [`shape/${name}`, text]);
  const made = await workbench(
    { 'shape/plugin.toml': manifestOf(shape), ...Object.fromEntries(files) },
    { supervision: { backoffMs: 10, maxBackoffMs: 20, maxFailures: 1000 } },
  );
  rig.later(() => made.close());
  const options = {
    allow: [...(shape.allow ?? [])],
    policy: shape.natsUrl === undefined ? {} : { natsUrl: shape.natsUrl },
  };
  const session = await made.session(options);
  const statusOf = async (it: typeof session) => (await it.packages()).packages[0];
  const before = await statusOf(session);
  const answer = await session.call({ tool, arguments: {} });
  const looking = await statusOf(await made.session({ ...options, intent: 'look' }));
  return { before, answer, looking, session, made };
}

const announcing = (tools: readonly string[]) => `import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if 'id' in message:
        init = {'tools': [{'name': it} for it in ${JSON.stringify(tools)}], 'hooks': []}
        result = init if message['method'] == 'initialize' else 'done'
        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
`;
const python = 'type = "stdio"\ncommand = "python3"\nargs = ["run.py"]';
const bundled = 'type = "stdio"\ncommand = "./run"';

const shapes: readonly (readonly [string, () => Shape, string, RegExp])[] = [
  [
    'NATS without a server',
    () => ({ transport: 'type = "nats"\nsubject_prefix = "x"' }),
    'needs-setup',
    /no NATS server is configured/,
  ],
  [
    'NATS with a server that cannot be reached',
    () => ({ transport: 'type = "nats"\nsubject_prefix = "x"', natsUrl: 'nats://127.0.0.1:9' }),
    'unavailable',
    /the NATS server at 127\.0\.0\.1:9 cannot be reached/,
  ],
  [
    'NATS without a running extension',
    () => ({ transport: 'type = "nats"\nsubject_prefix = "x"', natsUrl: nats.url }),
    'unavailable',
    /no subscriber on the NATS subject x\.shape\.rpc/,
  ],
  [
    'plain HTTP without a grant',
    () => ({ transport: 'type = "http"\nurl = "http://127.0.0.1:9/rpc"' }),
    'unavailable',
    /add --allow net:127\.0\.0\.1:9/,
  ],
  [
    'https://localhost without a grant',
    () => ({ transport: 'type = "http"\nurl = "https://localhost:9/rpc"' }),
    'unavailable',
    /localhost:9 is a loopback address.*add --allow net:localhost:9/,
  ],
  [
    'HTTP with a grant and nobody listening',
    () => ({ transport: 'type = "http"\nurl = "http://127.0.0.1:9/rpc"', allow: ['net:127.0.0.1:9'] }),
    'unavailable',
    /the request to 127\.0\.0\.1:9 failed/,
  ],
  [
    'a command that is not there',
    () => ({ transport: bundled }),
    'unavailable',
    /\.\/run is not in its folder; add it/,
  ],
  [
    'a script whose interpreter is not there',
    () => ({ transport: bundled, files: { run: '#!/usr/bin/no-such-shell -e\n' } }),
    'unavailable',
    /is a script for \/usr\/bin\/no-such-shell, which is not installed/,
  ],
  [
    'a script that env cannot start',
    () => ({ transport: bundled, files: { run: '#!/usr/bin/env no-such-language\n' } }),
    'unavailable',
    /is a script for no-such-language, which is not installed/,
  ],
  [
    'a program that ends at once',
    () => ({ transport: python, files: { 'run.py': '' } }),
    'unavailable',
    /exited with code 0/,
  ],
  [
    'a program that announces none of its tools',
    () => ({ transport: python, files: { 'run.py': announcing(['other']) } }),
    'unavailable',
    /announces none of the tools/,
  ],
  [
    'an extension with channels only',
    () => ({ transport: python, files: { 'run.py': announcing([]) }, capabilities: 'channels = ["sms"]' }),
    'unavailable',
    /it declares only channels, which this host does not serve/,
  ],
];

test.each(shapes)('%s: the status and the answer of a call agree', async (_name, shape, state, reason) => {
  const { before, answer, looking } = await observe(shape());
  expect(before).toMatchObject({ state });
  expect(before?.reasons.join('\n')).toMatch(reason);
  expect(answer.status).toBe('error');
  expect((answer as { error: { message: string } }).error.message).toMatch(reason);
  // After the first use, a session that only looks knows it too.
  expect(looking).toMatchObject({ state });
  expect(looking?.reasons.join('\n')).toMatch(reason);
});

test('an extension that answers again is ready, and its old failure is forgotten', async () => {
  const shape = { transport: 'type = "nats"\nsubject_prefix = "again"', natsUrl: nats.url };
  const { looking, session, made } = await observe(shape);
  expect(looking?.state).toBe('unavailable');
  await rig.start('nats', { prefix: 'again', id: 'shape' });
  const policy = { natsUrl: nats.url };
  const later = await made.session({ policy });
  expect(await resultOf(later.call({ tool: 'shape/echo', arguments: {} }))).toEqual({ input: {} });
  for (const it of [session, await made.session({ policy, intent: 'look' })]) {
    const found = (await it.packages()).packages[0];
    expect(found?.state).toBe('ready');
    expect(found?.reasons.join()).not.toContain('last used');
  }
});

test('a declared tool that is not announced is named in the status and by the call; the others work', async () => {
  const { before, answer, session } = await observe({
    transport: python,
    files: { 'run.py': announcing(['other']) },
    capabilities: 'tools = ["echo", "other"]',
  });
  expect(before).toMatchObject({ state: 'ready' });
  expect(before?.reasons.join()).toContain('declares "echo", which its program does not announce');
  expect(answer).toMatchObject({
    status: 'error',
    error: {
      code: 'tool_not_found',
      message: '"shape/echo" is declared by its manifest, but its program does not announce it',
    },
  });
  expect(await resultOf(session.call({ tool: 'shape/other', arguments: {} }))).toBe('done');
});

test('everything that is missing is in one status: version, programs and values', async () => {
  const { before, answer } = await observe({
    transport: `${python}\n[requires]\nbins = ["no-such-tool", "env", "also-missing"]\nenv = ["FIRST_KEY", "SECOND_KEY"]`,
    files: { 'run.py': announcing(['echo']) },
    plugin: 'min_agent_version = "7.1.0"',
  });
  expect(before?.state).toBe('unavailable');
  const expected = [
    /min_agent_version is 7\.1\.0, but the agent version of this host is 1\.0\.0/,
    /it needs no-such-tool, also-missing in the PATH of its sandbox/,
    /shape needs FIRST_KEY\. Set it: toolwharf secret set shape FIRST_KEY/,
    /shape needs SECOND_KEY/,
  ];
  for (const it of expected) {
    expect(before?.reasons.join('\n')).toMatch(it);
    expect((answer as { error: { message: string } }).error.message).toMatch(it);
  }
});

describe('channels, providers and pollers', () => {
  const capabilities =
    'tools = ["echo"]\nchannels = ["sms", "fax"]\nproviders = ["llm"]\npollers = ["inbox"]';

  test('are shown as declared and not served; the tools work', async () => {
    const { before, answer, looking } = await observe({
      transport: python,
      files: { 'run.py': announcing(['echo']) },
      capabilities,
    });
    expect(answer).toMatchObject({ status: 'ok' });
    for (const it of [before, looking]) {
      expect(it?.state).toBe('ready');
      expect(it?.reasons).toContain(
        'declared, not served: channels (sms, fax), providers (llm), pollers (inbox)',
      );
      expect(it?.package?.notServed).toEqual([
        { label: 'channels', value: ['sms', 'fax'] },
        { label: 'providers', value: ['llm'] },
        { label: 'pollers', value: ['inbox'] },
      ]);
    }
  });
});

test('the PATH of the sandbox counts, not that of the host', async () => {
  const made = await workbench({
    'tool/host-only': '#!/bin/sh\n',
    'shape/run.py': announcing(['echo']),
    'shape/plugin.toml': manifestOf({ transport: `${python}\n[requires]\nbins = ["host-only"]` }),
  });
  rig.later(() => made.close());
  const path = process.env.PATH;
  rig.later(() => {
    process.env.PATH = path;
  });
  process.env.PATH = `${made.packages}/tool:${path}`;
  const session = await made.session();
  const found = (await session.packages()).packages.find((it) => it.id === 'shape');
  expect(found).toMatchObject({ state: 'unavailable' });
  expect(found?.reasons.join()).toContain(
    'it needs host-only in the PATH of its sandbox: /usr/local/bin, /usr/bin',
  );
  expect((await failureOf(session.call({ tool: 'shape/echo', arguments: {} }))).code).toBe('runtime_missing');
});
