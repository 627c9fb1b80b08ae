// An agent asks for a package. It must not be able to agree, to send data out, to deceive or to flood the person, or to
// see what others asked for.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { printRequest } from '../../../src/serve/print/requested-installation.js';
import { type HttpBench, httpBench, modern } from '../../support/http-bench.js';
import { patchTool } from '../../support/toolwharf.js';

let home: HttpBench;
beforeEach(async () => {
  home = await httpBench();
});
afterEach(() => home.close());

const reason = 'I need it.';
const perform = (operation: string, body: object, token?: string) =>
  home.request(`/api/v1/operations/${operation}`, { body, ...(token === undefined ? {} : { token }) });
const ask = async (source: string, token?: string, why = reason) =>
  (await perform('session.requestInstall', { source, reason: why }, token)).json;

test('an agent token cannot install, plan, list or refuse what it asked for', async () => {
  home.bench.write({ '../offered/shout.py': patchTool({ name: 'shout' }) });
  const source = join(home.bench.path, 'offered', 'shout.py');
  const { result } = await ask(source);
  const { request } = result;
  const plan = await perform('session.installations.plan', { request }, home.operator);
  const { digest } = plan.json.result;
  for (const [name, body] of [
    ['session.installations.plan', { request }],
    ['session.installations.install', { request, agree: digest }],
    ['installRequests.list', {}],
    ['installRequests.refuse', { id: request }],
  ] as const)
    expect((await perform(name, body)).status).toBe(403);
  for (const args of [
    { source, reason, agree: digest },
    { source, reason, approve: true },
  ])
    await home.request('/mcp', modern('tools/call', { name: 'request_install', arguments: args }));
  expect(await home.bench.host.installRequests.list()).toMatchObject([{ id: request, state: 'waiting' }]);
  const tools = (await home.request('/api/v1/tools')).json.tools as { name: string }[];
  expect(tools.some((it) => it.name.startsWith('shout/'))).toBe(false);
  // Control: the operator can.
  const installed = await perform(
    'session.installations.install',
    { request, agree: digest, skipSmoke: true },
    home.operator,
  );
  expect(installed.json.result).toMatchObject({ package: 'shout', operation: 'install' });
});

test('asking connects to nothing and does not tell which files exist', async () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  try {
    for (const source of [
      `https://127.0.0.1:${port}/data-in-the-path.zip`,
      `git+https://127.0.0.1:${port}/repository.git#main`,
      `oci:127.0.0.1:${port}/image:latest`,
    ])
      expect((await ask(source)).result).toMatchObject({ state: 'waiting' });
    expect(connections).toBe(0);
    const answers = [await ask('/etc/passwd'), await ask('/nothing/is/here')].map((it) => ({
      ...it.result,
      request: '',
      expiresAt: 0,
    }));
    expect(answers[0]).toEqual(answers[1]);
    // Control: a plan, which only a person makes, connects.
    const person = await home.bench.session({
      ...{ directories: [], accept: null },
      allow: [`toolwharf=net:127.0.0.1:${port}`],
    });
    const source = `https://127.0.0.1:${port}/data-in-the-path.zip`;
    await expect(person.installations.plan({ source })).rejects.toThrow();
    expect(connections).toBeGreaterThan(0);
  } finally {
    await new Promise((resolve) => listener.close(resolve));
  }
});

test('text of the agent cannot hide anything or be too long', async () => {
  for (const [source, why] of [
    ['https://user:secret@example.com/a.zip', reason],
    ['git+https://user:secret@example.com/a.git#main', reason],
    ['npm:le\u200bft@1', reason],
    ['npm:left@1\u001b[2K', reason],
    ['http://example.com/a.zip', reason],
    [`npm:${'a'.repeat(1001)}`, reason],
    ['npm:left@1', 'x'.repeat(1024 * 1024)],
    ['npm:left@1', '  '],
  ] as const)
    expect((await ask(source, undefined, why)).error.code).toBe('invalid_input');
  expect(await home.bench.host.installRequests.list()).toEqual([]);
  const deceiving = 'ok\u001b[2K\u001b[1A\u202egnp\u200b\r\nreq_0 installed';
  await ask('npm:left@1', undefined, deceiving);
  const [request] = await home.bench.host.installRequests.list();
  const shown = printRequest(request as never, 80);
  // Control: the stored text is what the agent wrote.
  expect(request?.reason).toBe(deceiving);
  expect(shown).not.toMatch(/[\u001b\u202e\u200b\r]/);
  expect(shown).toContain('<U+001B>');
  expect(shown.split('\n').filter((it) => it.startsWith('req_'))).toHaveLength(1);
});

test('a source never becomes a grant or an option', async () => {
  for (const source of ['toolwharf=net:127.0.0.1:1', '--allow=net:public', '--agree']) await ask(source);
  const sources = (await home.bench.host.installRequests.list()).map((it) => it.source);
  expect(sources.every((it) => it.startsWith('/'))).toBe(true);
  for (const { id } of await home.bench.host.installRequests.list()) {
    const { status } = await perform('session.installations.plan', { request: id }, home.operator);
    expect(status).toBe(400);
  }
});

test('one principal can have five waiting requests, and a refusal does not make room to ask again', async () => {
  const states = await Promise.all(Array.from({ length: 12 }, (_, index) => ask(`npm:package-${index}@1`)));
  expect(states.filter((it) => it.result?.state === 'waiting')).toHaveLength(5);
  expect(states.filter((it) => it.error?.code === 'rate_limited')).toHaveLength(7);
  const [first] = await home.bench.host.installRequests.list();
  await home.bench.host.installRequests.refuse(first?.id as string, undefined, 'person');
  expect((await ask(first?.source as string)).result).toMatchObject({ state: 'refused' });
  // Control: another principal can still ask.
  const other = await home.token('other');
  expect((await ask('npm:left@1', other.token)).result).toMatchObject({ state: 'waiting' });
});

test('an agent does not see the requests of another principal', async () => {
  const other = await home.token('other');
  const mine = (await ask('npm:left@1')).result;
  await home.bench.host.installRequests.refuse(mine.request, 'Only for you.', 'person');
  const theirs = (await ask('npm:left@1', other.token)).result;
  expect(theirs).toMatchObject({ state: 'waiting' });
  expect(theirs.request).not.toBe(mine.request);
  expect(JSON.stringify(theirs)).not.toContain('Only for you.');
  // Control: the agent that asked sees it.
  expect((await ask('npm:left@1')).result).toMatchObject({ state: 'refused', note: 'Only for you.' });
});

test('a stopped principal cannot ask', async () => {
  await ask('npm:left@1');
  const [asked] = await home.bench.host.installRequests.list();
  await home.bench.host.kills.set(`principal:${asked?.principal}`, 'person', true);
  expect((await ask('npm:right@1')).error.code).toBe('killed');
});
