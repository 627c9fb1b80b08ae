// SECURITY.md: the doors of the console. Each attack has a control that succeeds without the protection.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpBench, httpBench, type ReceivedResponse, request } from '../../support/http-bench.js';

const consoleFolder = join(import.meta.dirname, '../../../dist/console');
const pin = ['nobody', 'knows', '2'].join('-');

interface Visitor {
  readonly cookie: string;
  readonly csrf: string;
}

let home: HttpBench;
let clock = 0;
const origin = () => `http://127.0.0.1:${home.port}`;

beforeAll(async () => {
  const now = () => Date.now() + clock;
  home = await httpBench({}, { console: consoleFolder, now }, {}, { now });
});
afterAll(() => home?.close());

async function codeOfLink(): Promise<string> {
  const { url } = await home.bench.host.consoleAccess.linkFor({ directories: [] });
  return url.split('#code=')[1] as string;
}

function send(path: string, body: unknown, headers: Record<string, string>): Promise<ReceivedResponse> {
  return request(home.port, `/console/api/${path}`, { body, headers: { origin: origin(), ...headers } });
}

async function signIn(): Promise<Visitor> {
  const answer = await send('sign-in', { code: await codeOfLink() }, {});
  expect(answer.status).toBe(200);
  const [written = ''] = answer.headers['set-cookie'] ?? [];
  expect(written).toMatch(
    /^toolwharf-console-\d+=[\w.-]+; Path=\/console; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  const cookie = written.split(';', 1)[0] as string;
  const state = await request(home.port, '/console/api/state', { headers: { cookie } });
  return { cookie, csrf: state.json.csrf };
}

const headersOf = ({ cookie, csrf }: Visitor) => ({ cookie, 'toolwharf-csrf': csrf });
const enabled = (visitor: Visitor, more: Record<string, string> = {}) =>
  send('operations/switches.set', { args: ['word_count', true] }, { ...headersOf(visitor), ...more });
const listed = (visitor: Visitor, more: Record<string, string> = {}) =>
  send('operations/approvals.list', { args: [] }, { ...headersOf(visitor), ...more });

describe('the console', () => {
  test('a link signs one browser in, once, and a code that nobody made signs nobody in', async () => {
    const code = await codeOfLink();
    expect((await send('sign-in', { code }, {})).status).toBe(200);
    expect((await send('sign-in', { code }, {})).status).toBe(401);
    expect((await send('sign-in', { code: 'x'.repeat(43) }, {})).status).toBe(401);
    expect((await send('sign-in', {}, {})).status).toBe(401);
  });

  test('an expired link signs nobody in', async () => {
    const code = await codeOfLink();
    clock += 61 * 60_000;
    expect((await send('sign-in', { code }, {})).status).toBe(401);
  });

  test('fetching the link in advance uses nothing up: the page is the same for everybody', async () => {
    const code = await codeOfLink();
    const page = await request(home.port, `/console/?code=${code}`);
    expect(page.status).toBe(200);
    expect(page.headers['set-cookie']).toBeUndefined();
    expect((await send('sign-in', { code }, {})).status).toBe(200);
  });

  test('tokens open nothing, neither those of agents nor those of operators', async () => {
    const visitor = await signIn();
    for (const token of [home.agent, home.operator]) {
      const authorization = `Bearer ${token}`;
      const state = await request(home.port, '/console/api/state', { headers: { authorization } });
      expect(state.status).toBe(403);
      expect((await send('operations/approvals.list', { args: [] }, { authorization })).status).toBe(403);
      expect((await request(home.port, '/console/', { headers: { authorization } })).status).toBe(403);
    }
    const link = await request(home.port, '/api/v1/operations/session.consoleLink', {
      token: home.agent,
      body: {},
    });
    expect(link.status).toBe(403);
    // Control: the cookie opens it, and an operator may make a link.
    expect((await listed(visitor)).status).toBe(200);
    const made = await request(home.port, '/api/v1/operations/session.consoleLink', {
      token: home.operator,
      body: {},
    });
    expect(made.json.result.url).toMatch(/\/console\/#code=[\w-]{43}$/);
  });

  test('a request without a cookie, with a changed cookie, or of another state directory is not signed in', async () => {
    const visitor = await signIn();
    const [name = '', value = ''] = visitor.cookie.split('=');
    const other = `${name}=${value.slice(0, -2)}${value.endsWith('AA') ? 'BB' : 'AA'}`;
    expect((await listed({ ...visitor, cookie: '' })).status).toBe(401);
    expect((await listed({ ...visitor, cookie: other })).status).toBe(401);
    // Twice, because a page of another port of this machine could add one.
    expect((await listed({ ...visitor, cookie: `${visitor.cookie}; ${other}` })).status).toBe(401);
    expect((await listed(visitor)).status).toBe(200);
  });

  test('a change needs the CSRF token of the same browser', async () => {
    const [visitor, another] = [await signIn(), await signIn()];
    expect((await enabled({ ...visitor, csrf: '' })).status).toBe(403);
    expect((await enabled({ ...visitor, csrf: another.csrf })).status).toBe(403);
    expect((await enabled(visitor)).status).toBe(200);
  });

  test('a page of another site changes and reads nothing', async () => {
    const visitor = await signIn();
    for (const more of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:${home.port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      expect([more, (await enabled(visitor, more)).status]).toEqual([more, 403]);
    const unnamed = await request(home.port, '/console/api/operations/approvals.list', {
      body: { args: [] },
      headers: headersOf(visitor),
    });
    expect(unnamed.status).toBe(403);
    const read = await request(home.port, '/console/api/state', {
      headers: { cookie: visitor.cookie, origin: 'https://evil.example' },
    });
    expect(read.status).toBe(403);
    const host = await request(home.port, '/console/', { headers: { host: 'evil.example' } });
    expect(host.status).toBe(403);
    expect((await enabled(visitor, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test('a sign-in ends after an hour without use, after twelve hours, and when the person signs out', async () => {
    const idle = await signIn();
    clock += 61 * 60_000;
    expect((await listed(idle)).status).toBe(401);
    let used = await signIn();
    for (let minutes = 0; minutes < 11 * 60; minutes += 55) {
      clock += 55 * 60_000;
      const state = await request(home.port, '/console/api/state', { headers: { cookie: used.cookie } });
      expect(state.status).toBe(200);
      used = { ...used, cookie: (state.headers['set-cookie']?.[0] ?? '').split(';', 1)[0] as string };
    }
    clock += 61 * 60_000;
    expect((await listed(used)).status).toBe(401);
    const leaving = await signIn();
    expect((await listed(leaving)).status).toBe(200);
    expect((await send('sign-out', {}, headersOf(leaving))).status).toBe(200);
    expect((await listed(leaving)).status).toBe(401);
  });

  test('who performs an operation is never taken from the request', async () => {
    const visitor = await signIn();
    const body = { tool: 'send_note', arguments: { text: 'who?' } };
    const { token } = (await home.request('/api/v1/call', { body })).json.confirmation;
    const forged = { name: 'alice', channel: 'terminal', pin };
    const answer = await send('operations/approvals.deny', { args: [token, forged] }, headersOf(visitor));
    expect(answer.json.result.decision).toMatchObject({ by: 'console', channel: 'console', verified: false });
  });

  test('once a PIN is set, the link alone lets one look and protect, and nothing else', async () => {
    const visitor = await signIn();
    const call = { args: [{ tool: 'word_count/word_count', arguments: { text: 'a b' } }] };
    const body = { tool: 'send_note', arguments: { text: 'with the PIN' } };
    const { token } = (await home.request('/api/v1/call', { body })).json.confirmation;
    const approve = () => send('operations/approvals.approve', { args: [token] }, headersOf(visitor));
    const run = () => send('operations/session.call', call, headersOf(visitor));
    // Control: without a PIN it works.
    expect((await run()).json.result).toMatchObject({ status: 'ok' });
    await home.bench.host.operator.setPin(pin, 'person');
    expect((await listed(visitor)).status).toBe(200);
    for (const it of [await approve(), await run(), await enabled(visitor)])
      expect(it.json.error?.code).toBe('pin_required');
    expect((await home.bench.host.approvals.get(token)).state).toBe('proposed');
    expect((await send('pin', { pin: 'not-it-at-all' }, headersOf(visitor))).json.error.message).toBe(
      'the PIN is wrong',
    );
    expect((await approve()).json.error.code).toBe('pin_required');
    expect((await send('pin', { pin }, headersOf(visitor))).status).toBe(200);
    expect((await approve()).json.result.decision).toMatchObject({ channel: 'console', verified: true });
    expect((await run()).json.result).toMatchObject({ status: 'ok' });
    // Only this browser, and only for 15 minutes.
    const another = await signIn();
    expect((await enabled(another)).json.error.code).toBe('pin_required');
    clock += 16 * 60_000;
    expect((await enabled(visitor)).json.error.code).toBe('pin_required');
    // Stopping never needs the PIN.
    const stopped = await send('operations/kills.set', { args: ['word_count'] }, headersOf(visitor));
    expect(stopped.json.result).toMatchObject({ changed: true });
    // Wrong PINs are limited as everywhere.
    let last: ReceivedResponse | undefined;
    for (let at = 0; at < 7; at++) last = await send('pin', { pin: `wrong-${at}-pin` }, headersOf(visitor));
    expect(last?.json.error.code).toBe('rate_limited');
  });

  test('the page has a policy that runs nothing but its own files', async () => {
    const { headers, text } = await request(home.port, '/console/anything');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(text).not.toMatch(/<script>|<style>|https?:/);
    expect((await request(home.port, '/console/assets/..%2f..%2fpackage.json')).status).toBe(404);
    expect((await request(home.port, '/console/assets/%2e%2e/index.html')).status).toBe(200);
  });
});
