// Log messages of servers: only for clients that want them, and without secrets.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import { frontFor, officialClient } from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const key = ['harbor', 'lantern', '48213', 'quince'].join('-');
const env = [{ name: 'DOOR_KEY', prompt: 'The key of a door.', secret: true }];
const body = `
const log = (level, data, more = {}) => write({ method: 'notifications/message', params: { level, data, ...more } });
on = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'bare', version: '1' } }),
  'logging/setLevel': () => ({}),
  'tools/call': () => {
    log('info', 'a detail');
    log('error', { opened: process.env.DOOR_KEY }, { logger: 'door' });
    log('fatal', 'not a level');
    log('error', 'x'.repeat(20000));
    log('alert', 'last');
    return { content: [{ type: 'text', text: 'gone ' + process.env.DOOR_KEY.length }] };
  },
};`;

let bench: Workbench;
let session: Session;
beforeAll(async () => {
  bench = await workbench(serverPackage('one', body, env));
  const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
  await bench.host.secrets.set({ package: 'one', slot: 'DOOR_KEY', value: key, audience, by: 'test' });
  session = await bench.session();
});
afterAll(() => bench.close());

async function messagesAt(level: 'warning' | undefined) {
  const client = await officialClient(frontFor({ host: bench.host, session }), '2025');
  const messages: { level: string; data: unknown }[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => {
    messages.push(params as { level: string; data: unknown });
  });
  if (level !== undefined) await client.setLoggingLevel(level);
  const { content } = await client.callTool({ name: 'one_go', arguments: {} });
  // Control: the program has the secret.
  expect(content).toEqual([{ type: 'text', text: `gone ${key.length}` }]);
  await client.close();
  return messages;
}

test('messages arrive in order before the result, at the chosen level, without secrets', async () => {
  const messages = await messagesAt('warning');
  expect(messages.map((it) => it.level)).toEqual(['error', 'alert']);
  expect(JSON.stringify(messages)).not.toContain(key);
  expect(JSON.stringify(messages[0])).toContain('[redacted:');
  expect(messages[1]).toEqual({ level: 'alert', data: 'last' });
});

test('a client that chose no level gets none', async () => {
  expect(await messagesAt(undefined)).toEqual([]);
});

test('an unknown level is rejected', async () => {
  const client = await officialClient(frontFor({ host: bench.host, session }), '2025');
  await expect(client.setLoggingLevel('loud' as 'error')).rejects.toThrow();
  await client.close();
});
