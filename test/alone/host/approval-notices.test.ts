// Held calls are reported to a webhook in the background, signed and without argument values.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bank, openBank, recorded } from '../../support/bank.js';
import { until } from '../../support/toolwharf.js';

interface Notice {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let bank: Bank;
let pager: Server;
let port: number;
let received: Notice[];
/** Status codes of the next replies of the pager, then 200. Null means no reply. */
let statuses: (number | null)[];

beforeEach(async () => {
  received = [];
  statuses = [];
  pager = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
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

describe('notices about held calls', () => {
  test('a held call is reported once, with a signature and without argument values', async () => {
    const secretName = ['mallory', 'at', 'home'].join('-');
    const token = await bank.hold({ to: secretName, amount: 71.5 }, await open());
    await until(() => received.length > 0);
    const [{ headers, body }] = received as [Notice];
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
    // The reply of the webhook decides nothing.
    expect((await bank.bench.host.approvals.get(token)).state).toBe('proposed');
    expect(bank.paid()).toEqual([]);
    await until(async () => (await notices()).length > 0);
    expect(await notices()).toEqual([{ approval: token, notice: 'sent' }]);
    // The same call again is the same held call, without a new notice.
    await bank.hold({ to: secretName, amount: 71.5 }, await open());
    expect(received).toHaveLength(1);
  });

  test('a notice that fails is sent again, at most three times in total', async () => {
    statuses = [500, 503];
    await bank.hold(undefined, await open());
    await until(async () => (await notices()).length === 1);
    expect(received).toHaveLength(3);
    statuses = [500, 500, 500, 500, 500];
    await bank.hold({ to: 'bob', amount: 1 }, await open());
    await until(async () => (await notices()).length === 2);
    expect(received).toHaveLength(6);
    expect((await notices()).at(-1)).toMatchObject({
      notice: 'failed',
      reason: 'the webhook answered with status 500',
    });
  });

  test('a call does not wait for a webhook that never answers', async () => {
    statuses = [null];
    const before = performance.now();
    const token = await bank.hold(undefined, await open());
    expect(performance.now() - before).toBeLessThan(5000);
    await bank.bench.host.approvals.approve(token, 'person');
    expect((await bank.confirm(token, await open())).status).toBe('ok');
    expect(bank.paid()).toHaveLength(1);
  });

  test('a notice does not follow a redirect', async () => {
    statuses = [307];
    await bank.hold(undefined, await open());
    await until(async () => (await notices()).length > 0);
    expect(received).toHaveLength(1);
    expect((await notices())[0]).toMatchObject({ notice: 'failed' });
  });

  test('without a grant no notice goes to a loopback address, and the call is still held', async () => {
    const token = await bank.hold(undefined, await open(''));
    await until(async () => (await notices()).length > 0);
    expect(received).toEqual([]);
    expect((await notices())[0]).toMatchObject({ approval: token, notice: 'failed' });
    expect((await bank.bench.host.approvals.get(token)).state).toBe('proposed');
  });
});
