// SECURITY.md: "The kill switch stops everything". Stopping one tool ends everything that this tool may
// have left running, and nothing else.
import { afterEach, expect, test } from 'vitest';
import { httpSampleServer } from '../../support/http-sample-server.js';
import { bareServer, closeUpstreams } from '../../support/mcp-upstream.js';
import { running } from '../../support/processes.js';
import { until } from '../../support/toolwharf.js';
import {
  failureOf,
  inputOf,
  resultOf,
  talos,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

let bench: Workbench;

afterEach(async () => {
  expect(bench.bugs).toEqual([]);
  await bench.close();
  await closeUpstreams();
});

test('stopping a function ends only the processes that ran it', async () => {
  const code = `const id = Math.random();
export const handlers = {
  who() { return id; },
  leave() { setInterval(() => {}, 10); return id; },
  hang() { return new Promise(() => {}); },
};
`;
  bench = await workbench(talos({ id: 'kept', code, functions: ['who', 'leave', 'hang'] }));
  const session = await bench.session();
  const call = (tool: string) => session.call({ tool: `kept/${tool}`, arguments: {} });
  const hung = failureOf(call('hang'));
  await until(() => running().length === 1);
  const second = await resultOf(call('who'));
  expect(running().length).toBe(2);
  // One process runs the tool; the other never did.
  await bench.host.kills.set('kept/hang', 'tester');
  expect(await hung).toMatchObject({ code: 'killed' });
  await until(() => running().length === 1, 2000);
  expect(await resultOf(call('who'))).toBe(second);
  // Now the other process has run a tool that left a timer behind.
  expect(await resultOf(call('leave'))).toBe(second);
  expect(await resultOf(call('who'))).toBe(second);
  await bench.host.kills.set('kept/leave', 'tester');
  await until(() => running().length === 0, 2000);
  expect(await resultOf(call('who'))).not.toBe(second);
});

test('stopping a tool of a server ends only the server that ran it', async () => {
  const server = bareServer(`const id = String(Math.random());
on = {
  'tools/list': () => ({ tools: ['who', 'leave', 'quiet'].map((name) => ({ name, description: 'Goes.', inputSchema: { type: 'object' } })) }),
  'tools/call': () => ({ content: [{ type: 'text', text: id }] }),
};`);
  const plain = 'command = "node"\nargs = ["extension.mjs"]';
  const extension = `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name: 'own' }], hooks: [] } }));
});`;
  bench = await workbench({
    'desk/plugin.toml': `[plugin]\nid = "desk"\nversion = "1.0.0"\n[capabilities]\ntools = ["own"]\n[transport]\ntype = "stdio"\n${plain}\n`,
    'desk/.mcp.json': JSON.stringify({
      mcpServers: Object.fromEntries(['a', 'b'].map((it) => [it, { command: 'node', args: ['server.mjs'] }])),
    }),
    'desk/server.mjs': server,
    'desk/extension.mjs': extension,
  });
  const session = await bench.session();
  const call = (tool: string) => resultOf(session.call({ tool: `desk/${tool}`, arguments: {} }));
  const [a, b] = [await call('a_who'), await call('b_who')];
  expect(await call('a_leave')).toBe(a);
  await bench.host.kills.set('desk/a_quiet', 'tester');
  expect([await call('a_who'), await call('b_who')]).toEqual([a, b]);
  await bench.host.kills.set('desk/a_leave', 'tester');
  expect(await call('b_who')).toBe(b);
  expect(await call('a_who')).not.toBe(a);
  // Control: stopping the package ends both servers.
  const before = [await call('a_who'), b];
  await bench.host.kills.set('desk', 'tester');
  await bench.host.kills.lift('desk', 'tester');
  for (const [index, tool] of ['a_who', 'b_who'].entries()) expect(await call(tool)).not.toBe(before[index]);
});

test('stopping a tool of an HTTP server ends only calls of this tool', async () => {
  const url = await httpSampleServer('2025');
  const { port } = new URL(url);
  const one = (tool: string) => ({
    name: tool,
    input: inputOf({}),
    output: { format: 'text' },
    invocation: { kind: 'mcp-tool', tool_name: tool },
  });
  bench = await workbench({
    'far/toolspace.json': toolspace({
      id: 'far',
      endpoint: url,
      actions: ['say', 'wait', 'canceled'].map(one),
    }),
  });
  const session = await bench.session({ allow: [`net:127.0.0.1:${port}`] });
  const call = (tool: string) => session.call({ tool: `far/${tool}`, arguments: {} });
  await resultOf(call('say'));
  const waiting = failureOf(call('wait'));
  await until(async () => (await resultOf(call('canceled'))) === '1 wait, 0 gave up');
  expect(await bench.host.kills.set('far/say', 'tester')).toMatchObject({ ended: 0 });
  expect(await resultOf(call('canceled'))).toBe('1 wait, 0 gave up');
  expect(await bench.host.kills.set('far/wait', 'tester')).toMatchObject({ ended: 1 });
  expect(await waiting).toMatchObject({ code: 'killed' });
  await until(async () => (await resultOf(call('canceled'))) === '0 wait, 1 gave up');
});
