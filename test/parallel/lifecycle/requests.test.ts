// An agent asks for a package; only a person can install it.
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { type Era, frontFor, officialClient } from '../../support/mcp-wire.js';
import { loopbackServer } from '../../support/toolwharf.js';
import { type Workbench, type WorkbenchOptions, workbench } from '../../support/workbench.js';

let bench: Workbench;
afterEach(() => bench.close());

const by = 'operator';
const reason = 'I need to count words.';

async function open(options: WorkbenchOptions = {}) {
  bench = await workbench(counterPackage(), options);
  const source = join(bench.packages, 'counter');
  const agent = await bench.session({ directories: [], accept: null, principal: 'agent' });
  const person = await bench.session({ directories: [], accept: null, principal: 'person' });
  return { source, agent, person };
}

async function installRequested(person: Session, request: string) {
  const { digest } = await person.installations.plan({ request });
  return person.installations.install({ request, agree: digest, by });
}

test('a request waits, is installed by a person, and then names the tools', async () => {
  const { source, agent, person } = await open();
  const asked = await agent.requestInstall({ source, reason });
  expect(asked).toMatchObject({ state: 'waiting', request: expect.stringMatching(/^req_/) });
  expect(await agent.requestInstall({ source, reason: 'Again.' })).toEqual(asked);
  expect(await bench.host.installRequests.list()).toMatchObject([
    { id: asked.request, source, reason, principal: 'agent', state: 'waiting', installed: null },
  ]);
  const { digest } = await person.installations.plan({ request: asked.request });
  await installRequested(person, asked.request);
  expect(await agent.requestInstall({ source, reason })).toMatchObject({
    ...{ request: asked.request, state: 'installed', package: 'counter' },
    tools: [expect.stringContaining('count')],
  });
  expect(await bench.host.installRequests.list(['installed'])).toMatchObject([
    { decision: { by }, installed: { package: 'counter', plan: digest } },
  ]);
  const answer = await agent.call({ tool: 'counter/count', arguments: { text: 'a b' } });
  expect(answer).toMatchObject({ status: 'ok', result: { words: 2 } });
  await expect(person.installations.plan({ request: asked.request })).rejects.toMatchObject({
    message: expect.stringContaining('already installed'),
  });
  const log = (await bench.host.auditTail(100)).map((it) => (it.body as { operation?: string }).operation);
  expect(log).toEqual(expect.arrayContaining(['install request', 'install', 'install request installed']));
});

test('once the package is removed, the agent may ask again', async () => {
  const { source, agent, person } = await open();
  const { request } = await agent.requestInstall({ source, reason });
  await installRequested(person, request);
  await person.installations.remove({ package: 'counter', by });
  const again = await agent.requestInstall({ source, reason });
  expect(again).toMatchObject({ state: 'waiting' });
  expect(again.request).not.toBe(request);
});

test('a refusal reaches the agent with its note, and lasts a day', async () => {
  let now = Date.now();
  const { agent } = await open({ now: () => now });
  const asked = { source: 'npm:left@1', reason };
  const { request } = await agent.requestInstall(asked);
  const refused = await bench.host.installRequests.refuse(request, 'Use the tool that we have.', by);
  expect(refused).toMatchObject({ state: 'refused', decision: { by, note: 'Use the tool that we have.' } });
  expect(await agent.requestInstall(asked)).toMatchObject({
    ...{ request, state: 'refused', note: 'Use the tool that we have.' },
  });
  await expect(bench.host.installRequests.refuse(request, undefined, by)).rejects.toMatchObject({
    code: 'not_found',
  });
  now += 86_400_001;
  expect(await agent.requestInstall(asked)).toMatchObject({ state: 'waiting' });
});

test('a request that nobody looks at expires and cannot be installed', async () => {
  let now = Date.now();
  const { source, agent, person } = await open({ now: () => now });
  const { request } = await agent.requestInstall({ source, reason });
  now += 86_400_001;
  expect(await bench.host.installRequests.list()).toEqual([]);
  await expect(installRequested(person, request)).rejects.toMatchObject({
    message: expect.stringContaining('already expired'),
  });
  expect((await agent.requestInstall({ source, reason })).request).not.toBe(request);
});

test('a webhook gets a notice without the reason', async () => {
  const bodies: string[] = [];
  const hook = await loopbackServer((request, response) => {
    let body = '';
    request.on('data', (it) => {
      body += it;
    });
    request.on('end', () => {
      bodies.push(body);
      response.end();
    });
  });
  try {
    await open();
    const agent = await bench.session({
      ...{ directories: [], accept: null, principal: 'agent' },
      allow: [`toolwharf=net:127.0.0.1:${hook.port}`],
      policy: { webhook: `http://127.0.0.1:${hook.port}/` },
    });
    const { request } = await agent.requestInstall({ source: 'npm:left@1', reason });
    await expect.poll(() => bodies.length, { timeout: 5000 }).toBe(1);
    expect(JSON.parse(bodies[0] as string)).toMatchObject({
      ...{ schema: 'toolwharf/install-request@1', id: request, source: 'npm:left@1', principal: 'agent' },
      command: `toolwharf requests show ${request}`,
    });
    expect(bodies[0]).not.toContain(reason);
  } finally {
    await hook.close();
  }
});

test.each<Era>(['2025', '2026'])('an MCP client of %s asks, waits and goes on', async (era) => {
  const { source, agent, person } = await open();
  const front = frontFor({ host: bench.host, session: agent, installRequests: true });
  const client = await officialClient(front, era);
  const names = async (it = client) => (await it.listTools()).tools.map(({ name }) => name);
  const ask = async () => {
    const { content, isError } = await client.callTool({
      ...{ name: 'request_install', arguments: { source, reason } },
    });
    return { text: (content as { text: string }[])[0]?.text ?? '', isError };
  };
  expect(await names()).toContain('request_install');
  const waiting = await ask();
  expect(waiting.text).toMatch(/^Waiting for a person: request req_/);
  expect(waiting.isError).not.toBe(true);
  const [{ id = '' } = {}] = await bench.host.installRequests.list();
  await installRequested(person, id);
  const { text } = await ask();
  expect(text).toMatch(/^Installed: package counter\. Its tools are /);
  const tool = /tools are (\S+)\.$/.exec(text)?.[1] as string;
  // A client of 2026 may use its list for some seconds, so another one lists the tools.
  const next = await officialClient(front, era);
  expect(await names(next)).toContain(tool);
  await next.close();
  expect((await client.callTool({ name: tool, arguments: { text: 'a b c' } })).isError).not.toBe(true);
  await client.close();
  front.close();
});

test('it is offered where clients search for tools, and elsewhere only if the operator says so', async () => {
  const { agent, source } = await open();
  const offered = async (setup: object) => {
    const front = frontFor({ host: bench.host, session: agent, ...setup });
    const client = await officialClient(front, '2025');
    const { tools } = await client.listTools();
    await client.close();
    front.close();
    return tools.some((it) => it.name === 'request_install');
  };
  expect(await offered({ expose: 'all' })).toBe(false);
  expect(await offered({ expose: 'all', installRequests: true })).toBe(true);
  expect(await offered({ expose: 'search' })).toBe(true);
  expect(await offered({ expose: 'search', installRequests: false })).toBe(false);
  const off = await bench.session({
    ...{ directories: [], accept: null, principal: 'agent' },
    policy: { installRequests: false },
  });
  await expect(off.requestInstall({ source, reason })).rejects.toMatchObject({ code: 'denied' });
});
