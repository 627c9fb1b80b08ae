// SECURITY.md: "Bounded before parsing". One agent token sends bodies that are small as text and huge as values.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BodyFlood,
  healthTime,
  type ServedHost,
  serveHost,
  startFlood,
  startIdleServer,
} from '../../support/served-host.js';
import { patchTool } from '../../support/toolwharf.js';

let host: ServedHost;
let idleServer: Awaited<ReturnType<typeof startIdleServer>>;
beforeAll(async () => {
  idleServer = await startIdleServer();
  host = await serveHost({ 'word_count.py': patchTool({ name: 'word_count' }) });
});
afterAll(async () => {
  await idleServer.close();
  await host.close();
});

const fourMegabytes = 4_000_000;
const call = '{"tool":"word_count","arguments":{"text":';
const rpc =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"word_count","arguments":{"text":';

const bodies: [string, string, BodyFlood['body']][] = [
  ['nested lists in a call', '/api/v1/call', { head: call, unit: '[', times: fourMegabytes, tail: '' }],
  [
    'nested lists in an MCP message',
    '/mcp',
    { head: rpc, unit: '[', times: fourMegabytes / 2, tail: `${']'.repeat(fourMegabytes / 2)}}}}` },
  ],
  ['nested objects', '/api/v1/call', { head: call, unit: '{"a":', times: fourMegabytes / 5, tail: '' }],
  [
    'a flat list of lists',
    '/api/v1/call',
    { head: `${call}[`, unit: '[],', times: fourMegabytes / 3, tail: '0]}}' },
  ],
];

/** The times of `/health` that took too long, out of 50, while at least 150 bodies were sent. */
async function measure(path: string, body: BodyFlood['body'], withinMs = 100) {
  // Three bodies per measurement. The sender must leave a processor to the host.
  const pace = { together: 3, pauseMs: 50, least: 150 };
  const flood = startFlood({ port: host.port, token: host.agentToken, path, body, ...pace });
  const times: number[] = [];
  const deadline = performance.now() + 60_000;
  try {
    while (times.length < 50 && performance.now() < deadline) {
      const before = host.processorMs();
      const [time, idle] = await Promise.all([healthTime(host.port), healthTime(idleServer.port)]);
      // If a server without work is slow at the same time, the machine is busy: that shows nothing about the host. Nor does
      // a wait in which the host worked less than that: it waited for a processor.
      const worked = host.processorMs() - before;
      if (idle < 50) times.push(Number.isNaN(worked) ? time : Math.min(time, worked));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    const counts = await flood.stop();
    // All of them got an answer.
    expect(
      Object.keys(counts).filter((status) => !/^(?:200|4\d\d)$/.test(status)),
      JSON.stringify(counts),
    ).toEqual([]);
  }
  expect(times, 'the machine was too busy to measure').toHaveLength(50);
  return times.filter((it) => it > withinMs);
}

test.each(bodies)(
  'the host answers within 100 ms, 50 times of 50, while one token sends 150 bodies: %s',
  async (_, path, body) => {
    let slow = await measure(path, body);
    // Other programs of the machine can delay an answer. A host that parses the bodies is slow in every round.
    for (let round = 1; round < 3 && slow.length > 0; round++) slow = await measure(path, body);
    expect(slow).toEqual([]);
    expect([host.exitCode(), host.errors()]).toEqual([null, '']);
  },
  180_000,
);

test('the host answers within 250 ms while one token sends bodies with the most values that are parsed', async () => {
  // The arguments are then invalid for the tool.
  const body = { head: `${rpc}[`, unit: '{},', times: 49_000, tail: '0]}}}' };
  let slow = await measure('/mcp', body, 250);
  for (let round = 1; round < 3 && slow.length > 0; round++) slow = await measure('/mcp', body, 250);
  expect(slow).toEqual([]);
}, 180_000);

test('control: to parse one such body takes longer than that', () => {
  const nested = `${'['.repeat(fourMegabytes / 2)}${']'.repeat(fourMegabytes / 2)}`;
  const began = performance.now();
  JSON.parse(nested);
  expect(performance.now() - began).toBeGreaterThan(100);
});
