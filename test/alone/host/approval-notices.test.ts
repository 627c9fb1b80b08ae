// Held calls are reported to a webhook in the background, signed and without argument values.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkNotices } from '../../../src/host/doctor/notices.js';
import type { JsonObject, NotifyTarget, SecretAudience } from '../../../src/index.js';
import { type Bank, openBank, recorded } from '../../support/bank.js';
import { until } from '../../support/toolwharf.js';

interface Notice {
  readonly path: string;
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
      received.push({ path: request.url ?? '', headers: request.headers, body });
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
    expect(await notices()).toEqual([{ approval: token, notice: 'sent', to: `webhook 127.0.0.1:${port}` }]);
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

  describe('to a chat', () => {
    const url = () => `http://127.0.0.1:${port}`;
    const tell = (notify: JsonObject[], more: JsonObject = {}) =>
      bank.open('agent', {
        allow: [`net:localhost:${bank.server.port}`, `toolwharf=net:127.0.0.1:${port}`],
        policy: { notify, ...more },
      });
    const input = { to: 'mallory <!channel>', amount: 71.5 };
    const reason = 'pay requires a person';

    test('ntfy gets the exact message, with a link and without argument values', async () => {
      bank.bench.host.approvals.links.serveAt('https://tools.example.com');
      const token = await bank.hold(input, await tell([{ kind: 'ntfy', url: `${url()}/my-topic` }]));
      await until(() => received.length > 0);
      const [{ path, headers, body }] = received as [Notice];
      const { message, click, ...rest } = JSON.parse(body);
      expect(path).toBe('/');
      expect(rest).toEqual({
        topic: 'my-topic',
        title: 'Approve bank/pay?',
        priority: 4,
        tags: ['raised_hand'],
      });
      expect(click).toMatch(
        new RegExp(`^https://tools\\.example\\.com/approve/${token}\\?t=[0-9a-z]+\\.[\\w-]{43}$`),
      );
      expect(message).toContain(reason);
      expect(message).toContain('Asked by agent.');
      expect(body).not.toMatch(/mallory|71\.5/);
      expect(headers.authorization).toBeUndefined();
      await until(async () => (await notices()).length > 0);
      expect(await notices()).toEqual([{ approval: token, notice: 'sent', to: `ntfy 127.0.0.1:${port}` }]);
    });

    test('without a page, the message names the command', async () => {
      const token = await bank.hold(input, await tell([{ kind: 'ntfy', url: `${url()}/my-topic` }]));
      await until(() => received.length > 0);
      const message = JSON.parse(received[0]?.body ?? '');
      expect(message.message).toContain(`toolwharf approvals show ${token}`);
      expect(message.click).toBeUndefined();
    });

    test('Slack gets text, a section and a button; what a caller wrote is no link and no mention', async () => {
      bank.bench.host.approvals.links.serveAt('https://tools.example.com');
      const target = { kind: 'slack', url: `${url()}/services/T0/B0/x`, arguments: true };
      await bank.hold(input, await tell([target]));
      await until(() => received.length > 0);
      const { blocks, ...rest } = JSON.parse(received[0]?.body ?? '');
      expect(received[0]?.path).toBe('/services/T0/B0/x');
      expect(rest).toEqual({ text: 'Approve bank/pay?', unfurl_links: false, unfurl_media: false });
      const [section, actions] = blocks;
      expect(section).toMatchObject({ type: 'section', text: { type: 'mrkdwn', verbatim: true } });
      expect(section.text.text).toContain('"to":"mallory &lt;!channel&gt;"');
      expect(section.text.text).not.toMatch(/[<>]/);
      expect(actions).toEqual({
        type: 'actions',
        elements: [
          {
            type: 'button',
            text: { type: 'plain_text', text: 'Open' },
            url: expect.stringMatching(/^https:\/\/tools\.example\.com\/approve\/apr_/),
          },
        ],
      });
    });

    test('once a PIN is set, arguments are sent only after the operator accepted it', async () => {
      const pin = ['nobody', 'knows', '1'].join('-');
      await bank.bench.host.operator.setPin(pin, 'person');
      const by = { name: 'person', channel: 'terminal', pin } as const;
      const target = { kind: 'webhook', url: `${url()}/held`, arguments: true };
      const session = await tell([target]);
      // The grants of this session have to be accepted too.
      const waivers = await session.waivers();
      for (const it of waivers.filter((it) => it.kind === 'grant')) await session.acceptWaiver(it.id, by);
      await bank.hold(input, await tell([target]));
      await until(() => received.length > 0);
      expect(JSON.parse(received[0]?.body ?? '').arguments).toBeUndefined();
      const own = waivers.find((it) => it.kind === 'notify');
      expect(own).toMatchObject({ active: false });
      await session.acceptWaiver(own?.id ?? '', by);
      await bank.hold({ ...input, amount: 72 }, await tell([target]));
      await until(() => received.length > 1);
      expect(JSON.parse(received[1]?.body ?? '').arguments).toMatchObject({ amount: 72 });
    });

    test('secrets come from the vault, go only to their host, and appear nowhere', async () => {
      const { host } = bank.bench;
      const token = ['tk', 'very', 'secret'].join('_');
      const address = `${url()}/services/T0/${['B0', 'hidden'].join('-')}`;
      const set = (slot: string, value: string, audience: SecretAudience) =>
        host.secrets.set({ package: '@notify', slot, value, audience, by: 'person' });
      await set('ntfy', token, { kind: 'hosts', hosts: ['127.0.0.1'] });
      await set('slack', address, { kind: 'manifest' });
      const ntfy = { kind: 'ntfy', url: `${url()}/t`, tokenSecret: 'ntfy' };
      await bank.hold(input, await tell([ntfy, { kind: 'slack', urlSecret: 'slack' }]));
      await until(() => received.length === 2);
      const byPath = new Map(received.map((it) => [it.path, it]));
      expect(byPath.get('/')?.headers.authorization).toBe(`Bearer ${token}`);
      expect([...byPath.keys()]).toContain(new URL(address).pathname);
      // A token without a host, or for another one, is not sent; nor is a notice without its secret.
      for (const audience of [
        { kind: 'manifest' },
        { kind: 'hosts', hosts: ['ntfy.example.com'] },
      ] as const) {
        await set('ntfy', token, audience);
        await bank.hold({ to: audience.kind, amount: 1 }, await tell([ntfy]));
      }
      await bank.hold({ to: 'nobody', amount: 1 }, await tell([{ kind: 'slack', urlSecret: 'other' }]));
      statuses = [500, 500, 500];
      await bank.hold({ to: 'eve', amount: 1 }, await tell([{ kind: 'slack', urlSecret: 'slack' }]));
      await until(async () => (await notices()).filter((it) => it.notice === 'failed').length === 4);
      expect(received).toHaveLength(5);
      const failed = (await notices()).filter((it) => it.notice === 'failed');
      expect(failed.map((it) => it.reason)).toEqual(
        expect.arrayContaining([
          'the value ntfy of @notify may not be sent to 127.0.0.1',
          'the value other of @notify is not set',
          'the service answered with status 500',
        ]),
      );
      const log = JSON.stringify(await host.auditTail(1000));
      for (const it of [token, 'hidden', '/services/']) expect(log).not.toContain(it);
      // Doctor shows what failed last, and what is missing.
      const checks = checkNotices(join(dirname(bank.bench.packages), 'state'), {
        notify: [
          ntfy,
          { kind: 'slack', urlSecret: 'other' },
          { kind: 'slack', urlSecret: 'slack' },
        ] as NotifyTarget[],
      });
      expect(checks.map((it) => [it.status, it.message])).toEqual([
        ['warn', expect.stringContaining('the value ntfy of @notify may not be sent')],
        ['warn', expect.stringContaining('the value other is not set')],
        ['warn', expect.stringContaining('failed: the service answered with status 500')],
      ]);
    });
  });
});
