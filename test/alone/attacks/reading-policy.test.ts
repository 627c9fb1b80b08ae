// SECURITY.md: "Prompts and resources are guarded like tools". Rules for calls also apply to reading.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Rule, Session, SessionPolicy } from '../../../src/index.js';
import { httpSampleServer } from '../../support/http-sample-server.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import { serverPackage } from '../../support/server-package.js';
import { until } from '../../support/toolwharf.js';
import { findagent, inputOf, toolspace, type Workbench, workbench } from '../../support/workbench.js';

/** Never answers a resource with `slow` in its address. The tool `asked` returns the number of reads. */
const server = `
let asked = 0;
const text = (words) => ({ contents: [{ uri: 'desk://a', text: words }] });
on = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'bare', version: '1' } }),
  'tools/list': () => ({ tools: ['read_all', 'asked'].map((name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } })) }),
  'tools/call': () => ({ content: [{ type: 'text', text: String(asked) }] }),
  'prompts/list': () => ({ prompts: [{ name: 'greet', description: 'A greeting.', arguments: [{ name: 'who' }] }] }),
  'prompts/get': ({ arguments: given }) => { asked++; return { messages: [{ role: 'user', content: { type: 'text', text: 'Greet ' + given.who } }] }; },
  'resources/list': () => ({ resources: [{ uri: 'desk://a', name: 'a' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'desk://{thing}', name: 'any' }] }),
  'resources/read': ({ uri }) => { asked++; return uri.includes('slow') ? undefined : text('all of ' + uri); },
};`;

let bench: Workbench;
let clock = Date.parse('2026-01-01T00:00:00Z');

beforeEach(async () => {
  bench = await workbench(
    {
      ...serverPackage('desk', server),
      'agent/findagent.json': findagent('Agent', { tools: [] }),
    },
    { now: () => clock, ticks: () => 0 },
  );
});

afterEach(async () => {
  expect(bench.bugs).toEqual([]);
  await bench.close();
});

afterAll(closeUpstreams);

const rules = (...given: Omit<Rule, 'origin'>[]): SessionPolicy => ({
  rules: given.map((it) => ({ ...it, origin: { kind: 'user', file: '/home/config.toml', line: 7 } })),
});
const under = (policy: SessionPolicy) => bench.session({ policy });
const address = 'upstream://desk/server/desk://a';
const asked = async () => {
  const answer = await (await bench.session()).call({ tool: 'desk/asked', arguments: {} });
  return answer.status === 'ok' ? answer.result : answer;
};

/** All ways to read something from the server, by name. */
const ways: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  'a prompt as text': (it) => it.prompt('desk_greet', { who: 'Ada' }),
  'a prompt as messages': (it) => it.promptMessages('desk_greet', { who: 'Ada' }),
  'a resource by its address here': (it) => it.resource(address),
  'a resource by its own address': (it) => it.resource('desk://a'),
  'a resource that is not listed': (it) => it.resource('upstream://desk/server/desk://other'),
};

describe.each(Object.entries(ways))('reading %s', (_way, read) => {
  test.each<[string, SessionPolicy]>([
    ['the package', rules({ tool: 'desk', approval: 'deny', reason: 'Not here.' })],
    ['all its tools', rules({ tool: 'desk/*', approval: 'deny', reason: 'Not here.' })],
    ['everything', rules({ tool: '*', approval: 'deny', reason: 'Not here.' })],
    ['all reading tools', rules({ tool: '*', effects: ['read'], approval: 'deny', reason: 'Not here.' })],
    [
      'prompts and resources by name',
      rules(
        { tool: 'd*/prompt:*', approval: 'deny', reason: 'Not here.' },
        { tool: 'desk/resource:*', approval: 'deny', reason: 'Not here.' },
      ),
    ],
  ])('is denied if a rule denies %s, and the server is not asked', async (_what, policy) => {
    const denied = await under(policy);
    await expect(read(denied)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringMatching(/a rule for .* \(\/home\/config\.toml:7\).*Not here\./),
    });
    expect(await asked()).toBe('0');
    const last = (await bench.host.auditTail(10)).findLast((it) => it.kind === 'refusal');
    expect(last?.body).toMatchObject({ package: 'desk', program: 'server', code: 'denied' });
    // Control: without the rule, reading works.
    await read(await bench.session());
    expect(await asked()).toBe('1');
  });

  test('is denied if a rule requires approval, because a read cannot be held', async () => {
    const held = await under(rules({ tool: 'desk', approval: 'ask' }));
    await expect(read(held)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining("requires a person's approval"),
    });
    expect(await asked()).toBe('0');
  });

  test('is not affected by rules for tools of the same package', async () => {
    const free = await under(
      rules(
        { tool: 'desk/read_all', approval: 'deny' },
        { tool: 'desk/re*', approval: 'deny' },
        { tool: 'desk/p*', approval: 'ask' },
        { tool: 'desk', effects: ['write', 'destructive', 'none'], approval: 'deny' },
        { tool: 'other', approval: 'deny' },
      ),
    );
    await read(free);
    expect(await asked()).toBe('1');
  });

  test('counts for rate limits and is rejected above the limit', async () => {
    const few = await under(rules({ tool: 'desk', rateLimit: { count: 2, per: 'minute' } }));
    for (let at = 0; at < 2; at++) await read(few);
    await expect(read(few)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await asked()).toBe('2');
    clock += 61_000;
    await read(few);
  });

  test('stops at once when the file KILL names the package', async () => {
    const session = await bench.session();
    await read(session);
    writeFileSync(join(bench.path, 'state', 'KILL'), 'desk\n');
    await expect(read(session)).rejects.toMatchObject({
      code: expect.stringMatching(/^(killed|not_found)$/),
    });
  });
});

test('denied patterns and personal data do not reach a server in read requests', async () => {
  const strict = await under(rules({ tool: 'desk', denyPatterns: ['secret +plan'], redact: ['email'] }));
  await expect(strict.prompt('desk_greet', { who: 'the secret plan' })).rejects.toMatchObject({
    code: 'guardrail',
  });
  await expect(strict.resource('upstream://desk/server/desk://secret plan')).rejects.toMatchObject({
    code: 'guardrail',
  });
  // A redacted address would be a different address, so the read is denied.
  await expect(strict.resource('upstream://desk/server/desk://of/ada@example.com')).rejects.toMatchObject({
    code: 'guardrail',
  });
  expect(await asked()).toBe('0');
  expect(await strict.prompt('desk_greet', { who: 'ada@example.com' })).toBe('Greet [redacted:email]');
});

test('prompts from the manifest of a denied package are denied too', async () => {
  const [prompt] = await (await bench.session()).prompts();
  const name = prompt?.name as string;
  expect(prompt?.package).toBe('agent');
  await expect(
    (await under(rules({ tool: 'agent', approval: 'deny' }))).prompt(name, {}),
  ).rejects.toMatchObject({
    code: 'denied',
  });
  // Reading them has no effect and sends nothing, so no approval is needed.
  expect(await (await under(rules({ tool: 'agent', approval: 'ask' }))).prompt(name, {})).not.toBe('');
});

test.each(['desk', 'all', 'principal:agent'])('a running read is ended by a kill of %s', async (target) => {
  const session = await bench.session();
  await session.resource(address);
  const reading = session.resource('upstream://desk/server/desk://slow').catch((error) => error);
  await until(async () => (await asked()) === '2');
  const from = performance.now();
  expect(await bench.host.kills.set(target, 'tester')).toMatchObject({ ended: 1 });
  expect(await reading).toMatchObject({ code: 'killed' });
  expect(performance.now() - from).toBeLessThan(2000);
});

test('a server at a denied URL is not asked', async () => {
  const url = await httpSampleServer('both');
  const { port } = new URL(url);
  const invocation = { kind: 'mcp-tool', tool_name: 'say' };
  const say = {
    name: 'say',
    input: inputOf({ text: { type: 'string' } }),
    output: { format: 'text' },
    invocation,
  };
  bench.write({ 'far/toolspace.json': toolspace({ id: 'far', endpoint: url, actions: [say] }) });
  const allow = [`net:127.0.0.1:${port}`];
  const open = await bench.session({ allow });
  await open.tools();
  await open.prompt('far_greet', { who: 'Ada' });
  const denied = await bench.session({ allow, policy: { deny: [`net:127.0.0.1:${port}`] } });
  await expect(denied.prompt('far_greet', { who: 'Ada' })).rejects.toMatchObject({
    code: expect.stringMatching(/^(network_denied|not_found)$/),
  });
  await expect(denied.resource('upstream://far/server/desk://drawer/pens')).rejects.toMatchObject({
    code: expect.stringMatching(/^(network_denied|not_found)$/),
  });
});
