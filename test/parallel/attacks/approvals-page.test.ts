// SECURITY.md: "A link to a held call only shows it".
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPageServer } from '../../../src/serve/http/approval-page/page-server.js';
import { openPage, pathOf, sendForm } from '../../support/approval-page.js';
import { openBank } from '../../support/bank.js';
import { type HttpBench, httpBench, request } from '../../support/http-bench.js';

const pin = ['nobody', 'knows', '1'].join('-');

let home: HttpBench;
let path: string;
let id: string;
let count = 0;

/** One host for the tests of a group; each test has a held call of its own. */
function useBench(): void {
  beforeAll(async () => {
    home = await httpBench();
  });
  afterAll(async () => {
    await home.close();
    expect(home.bench.bugs).toEqual([]);
  });
  beforeEach(async () => {
    ({ path, id } = await hold({ text: `call ${++count}` }));
  });
  afterEach(async () => {
    for (const it of await home.bench.host.approvals.list(['proposed']))
      await home.bench.host.approvals.deny(it.id, 'test');
  });
}

async function hold(input: object): Promise<{ path: string; id: string }> {
  const { json } = await home.request('/api/v1/call', { body: { tool: 'send_note', arguments: input } });
  return { path: pathOf(json.confirmation.url), id: json.confirmation.token };
}
const stateOf = async (which = id) => (await home.bench.host.approvals.get(which)).state;
const decisionOf = async () => (await home.bench.host.approvals.get(id)).decision;

/** Opens the page and sends its form. */
async function decide(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  to = path,
): Promise<number> {
  const { ticket = '', cookie } = await openPage(home.port, to);
  return (await sendForm(home.port, to, { ticket, ...fields }, { cookie, headers })).status;
}

describe('a link', () => {
  useBench();

  test('shows the call as often as it is opened, and opening it decides nothing', async () => {
    for (const method of ['GET', 'HEAD', 'GET']) {
      const opened = await request(home.port, path, { method });
      expect(opened.status).toBe(200);
      expect(opened.text.includes('send_note')).toBe(method === 'GET');
    }
    for (const query of ['&decision=approve', '&decision=approve&ticket=x', '&approve=true'])
      await request(home.port, `${path}${query}`);
    expect(await stateOf()).toBe('proposed');
  });

  test('with another id or signature shows nothing, and does not say whether the call exists', async () => {
    const other = await hold({ text: `another ${++count}` });
    const signature = path.slice(path.indexOf('?t=') + 3);
    const [until = '', tag = ''] = signature.split('.');
    const later = (Number.parseInt(until, 36) + 3600).toString(36);
    const flipped = `${tag[0] === 'A' ? 'B' : 'A'}${tag.slice(1)}`;
    const wrong = [
      `/approve/${other.id}?t=${signature}`,
      `/approve/apr_doesnotexist?t=${signature}`,
      `/approve/${id}?t=${later}.${tag}`,
      `/approve/${id}?t=${until}.${flipped}`,
      `/approve/${id}?t=${until}.`,
      `/approve/${id}`,
      `/approve/${id}/?t=${signature}`,
      `/approve/%2e%2e/${id}?t=${signature}`,
      '/approve/',
    ];
    const texts = new Set<string>();
    for (const it of wrong) {
      const { status, text, headers } = await request(home.port, it);
      expect([it, status]).toEqual([it, 404]);
      expect(headers['set-cookie']).toBeUndefined();
      texts.add(text);
    }
    // One answer for all of them.
    expect(texts.size).toBe(1);
    // Control: the link itself.
    expect((await request(home.port, path)).status).toBe(200);
  });

  test('is not opened by a token of any role', async () => {
    for (const token of [home.agent, home.operator]) {
      expect((await request(home.port, path, { token })).status).toBe(404);
      expect((await request(home.port, `/approve/${id}`, { token })).status).toBe(404);
      const sent = await request(home.port, path, {
        token,
        method: 'POST',
        body: 'decision=approve',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      });
      expect(sent.status).toBe(404);
    }
    expect(await stateOf()).toBe('proposed');
  });

  test('has headers that keep the page out of frames, caches and other sites', async () => {
    const { headers, text } = await request(home.port, path);
    const csp = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      expect(csp).toContain(part);
    expect(csp).toMatch(/style-src 'sha256-[A-Za-z0-9+/]{43}='/);
    expect(csp).not.toMatch(/unsafe|script-src/);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(String(headers['set-cookie'])).toMatch(
      new RegExp(
        `^toolwharf-approve=[\\w-]{22}; Path=/approve/${id}; Max-Age=1800; HttpOnly; SameSite=Strict$`,
      ),
    );
    expect(text).not.toMatch(/<script|https?:\/\/|\son\w+=/i);
  });

  test('is answered only under a name of this server', async () => {
    const rebound = await request(home.port, path, { headers: { host: `evil.example:${home.port}` } });
    expect(rebound.status).toBe(403);
    expect(rebound.text).not.toContain('send_note');
  });

  test('shows what a caller writes: it cannot become markup, hide or be cut off', async () => {
    const text = `<img src=x onerror=alert(1)>"'</pre><script>alert(2)</script>\u202e\u200b${'long '.repeat(4000)}END`;
    const held = await hold({ text });
    const { response } = await openPage(home.port, held.path);
    expect(response.text).not.toMatch(/<img|<script/);
    expect(response.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(response.text).toContain('&lt;U+202E&gt;&lt;U+200B&gt;');
    // Folded, but complete.
    expect(response.text).toContain('<details>');
    expect(response.text).toContain('long END');
    expect(response.text.split('long ').length - 1).toBeGreaterThanOrEqual(4000);
  });

  test('ends with its call', async () => {
    // Signed by the host, with a time that is over.
    const old = await home.bench.host.approvals.links.linkTo({ id, expiresAt: Date.now() - 1000 });
    const { status, text } = await request(home.port, pathOf(old as string));
    expect(status).toBe(410);
    expect(text).toContain('This link has expired');
    expect(text).not.toContain('send_note');
  });
});

describe('a form', () => {
  useBench();

  test('of this page decides: the control for all tests below', async () => {
    expect(await decide({ decision: 'approve' })).toBe(303);
    expect(await stateOf()).toBe('approved');
    expect(await decisionOf()).toMatchObject({ by: 'approval page', channel: 'page', verified: false });
    const entries = (await home.bench.host.auditTail(20)).filter((it) => it.kind === 'approval');
    expect(entries.at(-1)?.body).toMatchObject({ decision: 'approved', channel: 'page', verified: false });
  });

  test.each<[string, Record<string, string>]>([
    ['of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [
      'of another origin, in a browser that says nothing else',
      { origin: 'https://evil.example', 'sec-fetch-site': '' },
    ],
    ['of another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['without an origin', { origin: '', 'sec-fetch-site': '' }],
    ['of a hidden origin', { origin: 'null', 'sec-fetch-site': '' }],
    ['that a person typed into the address bar', { 'sec-fetch-site': 'none' }],
  ])('%s is not accepted, even with the right cookie and ticket', async (_name, headers) => {
    expect(await decide({ decision: 'approve' }, headers)).toBe(403);
    expect(await stateOf()).toBe('proposed');
  });

  test('needs the cookie of the browser that opened the page, and the ticket of that page', async () => {
    const mine = await openPage(home.port, path);
    const theirs = await openPage(home.port, path);
    const other = await hold({ text: `another ${++count}` });
    const foreign = await openPage(home.port, other.path);
    const post = (ticket = '', cookie?: string) =>
      sendForm(home.port, path, { ticket, decision: 'approve' }, { cookie });
    expect((await post(mine.ticket)).status).toBe(403);
    expect((await post(mine.ticket, theirs.cookie)).status).toBe(403);
    expect((await post(undefined, mine.cookie)).status).toBe(403);
    expect((await post('a.b.c', mine.cookie)).status).toBe(403);
    // Ticket and cookie of the page of another call.
    expect((await post(foreign.ticket, foreign.cookie)).status).toBe(403);
    expect(await stateOf()).toBe('proposed');
    expect((await post(mine.ticket, mine.cookie)).status).toBe(303);
  });

  test('works once: a second one shows the state and changes nothing', async () => {
    const { ticket = '', cookie } = await openPage(home.port, path);
    const post = (decision: string) => sendForm(home.port, path, { ticket, decision }, { cookie });
    expect((await post('deny')).status).toBe(303);
    const again = await post('approve');
    expect(again.status).toBe(403);
    expect(again.text).toContain('Denied. It does not run.');
    expect(await stateOf()).toBe('denied');
    expect((await openPage(home.port, path)).ticket).toBeUndefined();
  });

  test('of two browsers: the first decision counts, the other one sees it', async () => {
    const first = await openPage(home.port, path);
    const second = await openPage(home.port, path);
    const post = ({ ticket = '', cookie }: typeof first, decision: string) =>
      sendForm(home.port, path, { ticket, decision }, { cookie });
    expect((await post(first, 'approve')).status).toBe(303);
    const late = await post(second, 'deny');
    expect([late.status, late.headers.location]).toEqual([303, path]);
    expect(await stateOf()).toBe('approved');
    expect((await openPage(home.port, path)).response.text).toContain(
      'Decided by approval page (page, unverified)',
    );
  });

  test('that is too large, sent twice in one, or of another type is rejected', async () => {
    const { ticket = '', cookie } = await openPage(home.port, path);
    const note = 'x'.repeat(20_000);
    expect((await sendForm(home.port, path, { ticket, decision: 'approve', note }, { cookie })).status).toBe(
      413,
    );
    const json = { headers: { 'content-type': 'application/json' }, cookie };
    expect((await sendForm(home.port, path, { ticket, decision: 'approve' }, json)).status).toBe(415);
    const twice = await request(home.port, path, {
      method: 'POST',
      body: `ticket=${ticket}&decision=deny&decision=approve`,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie: cookie ?? '',
      },
    });
    expect(twice.status).toBe(400);
    expect(await stateOf()).toBe('proposed');
  });
});

describe('once a PIN is set', () => {
  useBench();
  beforeAll(() => home.bench.host.operator.setPin(pin, 'person'));

  test('approving needs it, and denying does not', async () => {
    expect(await decide({ decision: 'approve' })).toBe(403);
    expect(await decide({ decision: 'approve', pin: '' })).toBe(403);
    expect(await decide({ decision: 'approve', pin: 'not-it-at-all' })).toBe(403);
    expect(await stateOf()).toBe('proposed');
    expect(await decide({ decision: 'approve', pin })).toBe(303);
    expect(await decisionOf()).toMatchObject({ channel: 'page', verified: true });
    const other = await hold({ text: `another ${++count}` });
    expect(await decide({ decision: 'deny' }, {}, other.path)).toBe(303);
    expect(await stateOf(other.id)).toBe('denied');
  });

  test('wrong ones on the pages of all calls delay these pages, and nobody elsewhere', async () => {
    const { operator, approvals } = home.bench.host;
    const terminal = { name: 'person', channel: 'terminal', pin } as const;
    const none = { set: true, failures: 0, waitUntil: null };
    // More than start the delay, each on the page of a call of its own.
    for (let at = 0; at < 7; at++) {
      const other = await hold({ text: `guess ${++count}` });
      expect(await decide({ decision: 'approve', pin: `wrong-guess-${at}` }, {}, other.path)).toBe(403);
      await approvals.deny(other.id, 'test');
    }
    expect(await operator.pin()).toEqual(none);
    // Not even the right one, on the page of a call that nobody guessed for.
    const { ticket = '', cookie } = await openPage(home.port, path);
    const answer = await sendForm(home.port, path, { ticket, decision: 'approve', pin }, { cookie });
    expect([answer.status, await stateOf()]).toEqual([403, 'proposed']);
    expect(answer.text).toContain('too many wrong PINs on pages of held calls');
    expect(answer.text).toContain(`approve at the terminal: toolwharf approvals approve ${id}`);
    // The page never repeats a PIN.
    expect(answer.text).not.toContain(pin);
    expect(await operator.pin()).toEqual(none);
    await approvals.approve(id, terminal);
    expect(await decisionOf()).toMatchObject({ channel: 'terminal', verified: true });
    // Control: the same guesses at the terminal make the terminal wait.
    for (let at = 0; at < 5; at++)
      await operator.setPin(pin, { ...terminal, pin: `wrong-guess-${at}` }).catch(() => {});
    expect((await operator.pin()).waitUntil).not.toBeNull();
    // The correct PIN at the terminal ended the delay of the pages, and a delay there is none here.
    const last = await hold({ text: `last ${++count}` });
    expect(await decide({ decision: 'approve', pin }, {}, last.path)).toBe(303);
    expect(await operator.pin()).toEqual(none);
  });
});

describe('behind a proxy', () => {
  const host = 'tools.example.com';
  let link = '';
  beforeAll(async () => {
    home = await httpBench({}, { publicUrl: `https://${host}` });
  });
  afterAll(() => home.close());
  beforeEach(async () => {
    const body = { tool: 'send_note', arguments: { text: `proxied ${++count}` } };
    const { json } = await home.request('/api/v1/call', { body });
    link = json.confirmation.url;
    path = pathOf(link);
    id = json.confirmation.token;
  });

  test('links lead to its URL, and the cookie is sent only encrypted', async () => {
    expect(link.startsWith(`https://${host}/approve/apr_`)).toBe(true);
    const { response, ticket = '', cookie } = await openPage(home.port, path, { host });
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^__Secure-toolwharf-approve=.*; SameSite=Strict; Secure$/,
    );
    const headers = { host, origin: `https://${host}`, 'sec-fetch-site': '' };
    const sent = await sendForm(home.port, path, { ticket, decision: 'deny' }, { cookie, headers });
    expect([sent.status, sent.headers.location]).toEqual([303, path]);
    expect(await stateOf()).toBe('denied');
  });

  test('a form of the unencrypted page of the same name is not accepted', async () => {
    const { ticket = '', cookie } = await openPage(home.port, path, { host });
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': '' };
    expect(
      (await sendForm(home.port, path, { ticket, decision: 'approve' }, { cookie, headers })).status,
    ).toBe(403);
    expect(await stateOf()).toBe('proposed');
  });
});

test('a server for the page alone serves nothing else, and its links end with it', async () => {
  const bank = await openBank();
  const server = await openPageServer(bank.bench.host, {
    now: () => bank.clock,
    onBug: (it) => bank.bench.bugs.push(it),
  });
  const { port } = new URL(server.url);
  const answer = await bank.session.call({ tool: 'bank/pay', arguments: { to: 'alice', amount: 5 } });
  const link = answer.status === 'confirmation_required' ? (answer.confirmation.url ?? '') : '';
  expect(link.startsWith(`${server.url}/approve/apr_`)).toBe(true);
  expect((await openPage(Number(port), pathOf(link))).ticket).toBeDefined();
  for (const other of ['/', '/mcp', '/api/v1/tools', '/openapi.json'])
    expect((await request(Number(port), other)).status).toBe(404);
  const headers = { host: 'evil.example' };
  expect((await request(Number(port), pathOf(link), { headers })).status).toBe(403);
  await server.close();
  const again = await bank.session.call({ tool: 'bank/pay', arguments: { to: 'alice', amount: 5 } });
  expect(again.status === 'confirmation_required' && again.confirmation.url).toBeUndefined();
  await bank.close();
});
