// Held calls are told to a webhook: signed, without values, in the background, and with no say in anything.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bank, openBank, recorded } from './attacks/approvals/bank.js';
import { until } from './toolwharf.js';

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let bank: Bank;
let pager: Server;
let port: number;
let heard: Heard[];
/** What the pager answers with, one after the other; then 200. Null never answers. */
let statuses: (number | null)[];

beforeEach(async () => {
  heard = [];
  statuses = [];
  pager = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      heard.push({ headers: request.headers, body });
      const status = statuses.length > 0 ? statuses.shift() : 200;
      if (status === null) return;
      response
        .writeHead(status ?? 200, status === 307 ? { location: '/elsewhere' } : {})
        .end('{"approve":true}');
    });
  });
  await new Promise<void>((resolve) => pager.listen(0, '127.0.0.1', resolve));
  port = (pager.address() as AddressInfo).port;
  bank = await openBank({ noticeDelaysMs: [1, 1] });
});
afterEach(async () => {
  await bank.close();
  pager.closeAllConnections();
  await new Promise((resolve) => pager.close(resolve));
});

const open = (grant = `toolwharf=net:127.0.0.1:${port}`) =>
  bank.open('agent', {
    allow: [`net:localhost:${bank.server.port}`, ...(grant === '' ? [] : [grant])],
    policy: { webhook: `http://127.0.0.1:${port}/held` },
  });
const notices = async () => (await recorded(bank, 'hold')).filter((it) => it.notice !== undefined);

describe('a held call', () => {
  test('is told once, signed, without what its arguments say', async () => {
    const secretName = ['mallory', 'at', 'home'].join('-');
    const token = await bank.hold({ to: secretName, amount: 71.5 }, await open());
    await until(() => heard.length > 0);
    const [{ headers, body }] = heard as [Heard];
    expect(JSON.parse(body)).toMatchObject({
      schema: 'toolwharf/held-call@1',
      id: token,
      tool: 'bank/pay',
      principal: 'agent',
      shape: { to: `text(${secretName.length})`, amount: 'number' },
    });
    expect(body).not.toContain(secretName);
    expect(body).not.toContain('71.5');
    const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['toolwharf-signature'])) ?? [];
    expect(Number(time)).toBe(Math.floor(bank.clock / 1000));
    const key = Buffer.from(await bank.bench.host.approvals.noticeKey('person'), 'hex');
    expect(mac).toBe(createHmac('sha256', key).update(`${time}.${body}`).digest('hex'));
    // Whatever came back decides nothing.
    expect((await bank.bench.host.approvals.get(token)).state).toBe('proposed');
    expect(bank.paid()).toEqual([]);
    await until(async () => (await notices()).length > 0);
    expect(await notices()).toEqual([{ approval: token, notice: 'sent' }]);
    // The same call asked for again is the same request, and nothing new.
    await bank.hold({ to: secretName, amount: 71.5 }, await open());
    expect(heard).toHaveLength(1);
  });

  test('is told again after a failure, and then no more', async () => {
    statuses = [500, 503];
    await bank.hold(undefined, await open());
    await until(async () => (await notices()).length === 1);
    expect(heard).toHaveLength(3);
    statuses = [500, 500, 500, 500, 500];
    await bank.hold({ to: 'bob', amount: 1 }, await open());
    await until(async () => (await notices()).length === 2);
    expect(heard).toHaveLength(6);
    expect((await notices()).at(-1)).toMatchObject({ notice: 'failed', reason: 'the answer was 500' });
  });

  test('does not wait for a webhook that never answers', async () => {
    statuses = [null];
    const before = performance.now();
    const token = await bank.hold(undefined, await open());
    expect(performance.now() - before).toBeLessThan(5000);
    await bank.bench.host.approvals.approve(token, 'person');
    expect((await bank.confirm(token, await open())).status).toBe('ok');
    expect(bank.paid()).toHaveLength(1);
  });

  test('is told to nobody whom a redirect names', async () => {
    statuses = [307];
    await bank.hold(undefined, await open());
    await until(async () => (await notices()).length > 0);
    expect(heard).toHaveLength(1);
    expect((await notices())[0]).toMatchObject({ notice: 'failed' });
  });

  test('is not told to an address of this machine without a grant; the call is held all the same', async () => {
    const token = await bank.hold(undefined, await open(''));
    await until(async () => (await notices()).length > 0);
    expect(heard).toEqual([]);
    expect((await notices())[0]).toMatchObject({ approval: token, notice: 'failed' });
    expect((await bank.bench.host.approvals.get(token)).state).toBe('proposed');
  });
});
