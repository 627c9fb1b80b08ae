// SECURITY.md: "A PIN protects operator operations".
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSocketServer, type SocketServer } from '../../../src/serve/socket/server.js';
import { type Bank, openBank, recorded } from '../../support/bank.js';

const pin = ['nobody', 'knows', '1'].join('-');

let bank: Bank;
let server: SocketServer;
let path: string;
beforeEach(async () => {
  bank = await openBank();
  path = join(bank.bench.path, 'state', 'host.sock');
  const onBug = (error: unknown) => bank.bench.bugs.push(error);
  server = await openSocketServer(bank.bench.host, {
    path,
    version: '1',
    state: join(bank.bench.path, 'state'),
    now: Date.now,
    onBug,
  });
});
afterEach(async () => {
  await server.close();
  await bank.close();
});

/** Sends a request to the host's socket, as any program of the same user can. */
function ask(
  operation: string,
  input: object,
  by: unknown,
): Promise<{ result?: unknown; error?: { code: string } }> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const hello = {
      toolwharf: 'hello',
      version: '1',
      protocol: 'host',
      principal: 'mallory',
      directories: [],
      intent: 'use',
      accept: null,
      root: bank.bench.root,
      allow: [],
      environment: {},
      policy: {},
    };
    let received = '';
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      received += chunk;
      const lines = received.split('\n');
      if (lines.length < 3) return;
      socket.destroy();
      resolve(JSON.parse(lines[1] as string));
    });
    socket.write(`${JSON.stringify(hello)}\n${JSON.stringify({ id: 1, operation, input, by })}\n`);
  });
}

test('over the socket, a program cannot claim to be a person at a client or a signed-in person', async () => {
  await bank.bench.host.operator.setPin(pin, 'person');
  const token = await bank.hold();
  const signed = await bank.bench.host.operator.signIn({ name: 'person', channel: 'api', pin });
  for (const by of [
    'person',
    { name: 'person', channel: 'client' },
    { name: 'person', channel: 'api', signIn: signed.token },
    { name: 'person', channel: 'library', verified: true },
    { name: 'person', channel: 'terminal', pin: 0 },
    null,
  ]) {
    const { error } = await ask('approvals.approve', { id: token }, by);
    expect(error?.code, JSON.stringify(by)).toBe('pin_required');
  }
  expect((await bank.bench.host.approvals.get(token)).state).toBe('proposed');
  expect(bank.paid()).toEqual([]);
});

test('control: the same request approves with the PIN', async () => {
  await bank.bench.host.operator.setPin(pin, 'person');
  const token = await bank.hold();
  const { result } = await ask('approvals.approve', { id: token }, { name: 'person', pin });
  expect(result).toMatchObject({ state: 'approved' });
  expect((await recorded(bank, 'approval')).at(-1)).toMatchObject({ channel: 'terminal', verified: true });
});
