import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.js';
import type { PeerRequest } from '../rpc/peer-channel.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import { nexoPeer } from './nexo-dialect.js';

function connected(now?: () => number) {
  const sent: JsonObject[] = [];
  const logs: string[] = [];
  const floods: string[] = [];
  const peer = nexoPeer({ onLog: (line) => logs.push(line), onFlood: (kind) => floods.push(kind) }, now);
  peer.connect({
    async send(message) {
      sent.push(message);
      return 'sent';
    },
  });
  const say = (message: unknown) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    peer.receive(text, Buffer.byteLength(text));
  };
  return { peer, sent, logs, floods, say };
}

const request: PeerRequest = {
  method: 'tools/call',
  params: {},
  name: 'weather/get',
  limit: 1000,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an answer', () => {
  test('may be any value, or an error', async () => {
    const { peer, say } = connected();
    const values = [peer.request(request), peer.request(request), peer.request(request)];
    const failure = peer.request(request);
    say({ jsonrpc: '2.0', id: 1, result: null });
    say({ id: 2, result: 'without the version' });
    // Some bridges send a message as a JSON string inside JSON.
    say(JSON.stringify(JSON.stringify({ jsonrpc: '2.0', id: 3, result: [1] })));
    say({ jsonrpc: '2.0', id: 4, error: { code: 'seven' } });
    expect(await Promise.all(values)).toEqual([null, 'without the version', [1]]);
    await expect(failure).rejects.toBeInstanceOf(RpcFailure);
    await expect(failure).rejects.toMatchObject({ code: 0, message: 'error 0 without a message' });
  });

  test('without result and error fails its call', async () => {
    const { peer, say } = connected();
    const work = peer.request(request);
    say({ jsonrpc: '2.0', id: 1 });
    await expect(work).rejects.toMatchObject({ code: 'tool_bad_output' });
  });

  test('may have 64 KiB around its result, and no more', async () => {
    const { peer, say } = connected();
    const works = [peer.request(request), peer.request(request)];
    say({ id: 1, result: 1, padding: 'x'.repeat(65_000) });
    say({ id: 2, result: 2, padding: 'x'.repeat(67_000) });
    expect(await works[0]).toBe(1);
    await expect(works[1]).rejects.toMatchObject({ code: 'output_too_large' });
  });

  test('that no request waits for is logged', async () => {
    const { peer, say, logs } = connected();
    const work = peer.request(request);
    say({ id: 1, result: 1 });
    await work;
    say({ id: 1, result: 2 });
    say({ id: 9, result: 2 });
    expect(logs).toEqual([
      'the answer with id 1 is late or repeated',
      'the answer with id 9 matches no request',
    ]);
  });
});

describe('a message that nobody requested', () => {
  test('is answered with a short error if it is a request', async () => {
    const { sent, logs, say } = connected();
    say({ jsonrpc: '2.0', id: 'a', method: 'm'.repeat(5000) });
    say({ jsonrpc: '2.0', id: { deep: [] }, method: 'x' });
    await turn();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ id: 'a', error: { code: -32601 } });
    expect(JSON.stringify(sent[0]).length).toBeLessThan(300);
    expect(logs[1]).toBe('it requested x, which the host does not support');
  });

  test('is logged, shortened', () => {
    const { logs, say } = connected();
    say({ jsonrpc: '2.0', method: 'changed' });
    say('a line of a log');
    say('x'.repeat(65_536));
    expect(logs.slice(0, 2)).toEqual([
      'it sent the notification changed, which the host does not know',
      'a line of a log',
    ]);
    expect(logs[2]).toHaveLength(2000);
  });

  test('is accepted up to 8 MiB, which refill with 64 KiB each second', () => {
    let now = 0;
    const { say, floods } = connected(() => now);
    const block = 'x'.repeat(64 * 1024);
    for (let count = 0; count < 128; count++) say(block);
    expect(floods).toHaveLength(0);
    say(block);
    expect(floods).toHaveLength(1);
    now += 1001;
    say(block);
    expect(floods).toHaveLength(1);
    say(block);
    expect(floods).toHaveLength(2);
  });
});

test('256 requests may be pending', async () => {
  const { peer } = connected();
  const works = Array.from({ length: 257 }, () => peer.request(request).catch((error) => error.message));
  expect(await works[256]).toBe('weather/get already has 256 pending calls');
  expect(peer.pending).toBe(256);
});
