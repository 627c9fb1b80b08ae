// SECURITY.md: "Waiving a question needs the operator".
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mintToken } from '../../../src/host/sandboxing/sign-in.js';
import { settingsInForce } from '../../../src/host/session-waivers.js';
import type { Answer, Json, JsonObject, Package, Rule, Session, SessionPolicy } from '../../../src/index.js';
import type { Slot } from '../../../src/model/slot.js';
import { type SendToBroker, TokenBroker } from '../../../src/secrets/token-broker.js';
import type { Vault } from '../../../src/secrets/vault.js';
import { type HttpServer, openHttpServer } from '../../../src/serve/http/server.js';
import { openSocketServer, type SocketServer } from '../../../src/serve/socket/server.js';
import { type Bank, codeOf, openBank, pay, recorded, usual } from '../../support/bank.js';

const pin = ['nobody', 'knows', '2'].join('-');
const person = { name: 'person', channel: 'terminal', pin } as const;
const rule = {
  tool: 'bank/pay',
  approval: 'allow',
  overManifest: true,
  reason: 'small payments',
  origin: { kind: 'user', file: '/home/ada/config.toml', line: 3 },
} as const satisfies Rule;

const slot = {
  source: { kind: 'broker', scopes: ['gmail.read'] },
} as unknown as Slot;

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const setPin = () => bank.bench.host.operator.setPin(pin, 'person');
const open = (policy: SessionPolicy) => bank.open('agent', { policy: policy as unknown as JsonObject });
const payOnce = (session: Session) => session.call({ tool: pay, arguments: usual });
const accept = async (session: Session) => {
  for (const { id } of await session.waivers()) await session.acceptWaiver(id, person);
};
/** The rules that the newest run names. */
async function waivedBy(): Promise<Json | undefined> {
  return (await recorded(bank, 'intent')).at(-1)?.waivedBy;
}

describe('a rule that waives the question of a manifest', () => {
  test('runs the call without a PIN, and the entry of the call names the rule as unverified', async () => {
    const session = await open({ rules: [rule] });
    expect(codeOf(await payOnce(session))).toBe('ok');
    const waiver = (await session.waivers()).find((it) => it.kind === 'rule')?.id;
    expect(await waivedBy()).toEqual([
      { waiver, rule: 'bank/pay (/home/ada/config.toml:3)', verified: false },
    ]);
  });

  test('has no effect once a PIN is set: the call is held, and the audit log says so once', async () => {
    await setPin();
    for (let times = 0; times < 3; times++)
      expect(codeOf(await payOnce(await open({ rules: [rule] })))).toBe('confirmation_required');
    expect(bank.paid()).toEqual([]);
    const entries = (await recorded(bank, 'operator')).filter((it) => it.operation === 'inactive settings');
    expect(entries).toMatchObject([{ principal: 'agent', settings: [{ setting: 'rule' }] }]);
  });

  test('has effect after the operator accepted it with the PIN, and the entry of the call names it', async () => {
    await setPin();
    const session = await open({ rules: [rule] });
    await accept(session);
    expect(codeOf(await payOnce(session))).toBe('ok');
    expect(bank.paid()).toEqual(['POST /pay/alice/5']);
    expect(await waivedBy()).toMatchObject([{ rule: 'bank/pay (/home/ada/config.toml:3)', verified: true }]);
  });

  test('is not accepted without the PIN, with a wrong one, or by an acceptance from before the PIN', async () => {
    const session = await open({ rules: [rule] });
    const id = (await session.waivers()).find((it) => it.kind === 'rule')?.id ?? '';
    await session.acceptWaiver(id, 'mallory');
    await setPin();
    expect(codeOf(await payOnce(session))).toBe('confirmation_required');
    for (const by of ['mallory', { name: 'person', channel: 'terminal', pin: 'guessed-1' } as const])
      await expect(session.acceptWaiver(id, by)).rejects.toMatchObject({ code: 'pin_required' });
    expect(codeOf(await payOnce(await open({ rules: [rule] })))).toBe('confirmation_required');
    expect(bank.paid()).toEqual([]);
  });

  test('stops having effect in an open session when the first PIN is set, and has it again when the PIN is removed', async () => {
    const session = await open({ rules: [rule] });
    expect(codeOf(await payOnce(session))).toBe('ok');
    await setPin();
    expect(codeOf(await payOnce(session))).toBe('confirmation_required');
    expect(bank.paid()).toHaveLength(1);
    await bank.bench.host.operator.removePin(person);
    expect(codeOf(await payOnce(session))).toBe('ok');
  });

  test('takes effect in open sessions as soon as it is accepted, and stops when that is revoked', async () => {
    await setPin();
    const [mine, other] = [await open({ rules: [rule] }), await open({ rules: [rule] })];
    expect(codeOf(await payOnce(other))).toBe('confirmation_required');
    await accept(mine);
    expect(codeOf(await payOnce(other))).toBe('ok');
    for (const { id, kind } of await bank.bench.host.waivers.list())
      if (kind === 'rule') await bank.bench.host.waivers.revoke(id, 'person');
    expect(codeOf(await payOnce(other))).toBe('confirmation_required');
  });

  test('counts by its content: another file, another line and another order of keys change nothing', async () => {
    await setPin();
    await accept(await open({ rules: [rule] }));
    const moved: Rule = { ...rule, origin: { kind: 'user', file: '/tmp/other.toml', line: 99 } };
    const reordered = Object.fromEntries(Object.entries(rule).reverse()) as unknown as Rule;
    const bySession: Rule = { ...rule, origin: { kind: 'session' } };
    for (const same of [moved, reordered, bySession])
      expect(codeOf(await payOnce(await open({ rules: [same] })))).toBe('ok');
  });

  test.each<[string, Partial<Rule>]>([
    ['one more character in its reason', { reason: 'small payments.' }],
    ['another pattern', { tool: 'bank/*' }],
    ['one limit more', { maxAmount: 10_000 }],
    ['another effect', { effects: ['write'] }],
  ])('has no effect after a change: %s', async (_, change) => {
    await setPin();
    await accept(await open({ rules: [rule] }));
    expect(codeOf(await payOnce(await open({ rules: [{ ...rule, ...change }] })))).toBe(
      'confirmation_required',
    );
    expect(bank.paid()).toEqual([]);
  });

  test.each(['built-in', 'manifest', 'session', 'user'])(
    'needs the PIN with the claimed origin "%s" too',
    async (kind) => {
      await setPin();
      const claimed = { ...rule, origin: { kind, file: 'x', line: 1 } } as unknown as Rule;
      expect(codeOf(await payOnce(await open({ rules: [claimed] })))).toBe('confirmation_required');
      expect(bank.paid()).toEqual([]);
    },
  );

  test('keeps its limits in force while it is inactive', async () => {
    await setPin();
    const session = await open({ rules: [{ ...rule, maxAmount: 1 }] });
    expect(codeOf(await payOnce(session))).toBe('spend_limit');
  });
});

describe('other settings that let tools do more', () => {
  const closing = (session: Session) =>
    session.call({ tool: 'bank/close_account', arguments: { to: 'alice' } });

  test('an allow rule for the host\u2019s own question of a destructive call needs the PIN', async () => {
    const allow: Rule = { ...rule, tool: '*' };
    expect(codeOf(await closing(await open({ rules: [allow] })))).toBe('ok');
    await setPin();
    expect(codeOf(await closing(await open({ rules: [allow] })))).toBe('confirmation_required');
    expect(bank.paid()).toEqual(['DELETE /account/alice']);
  });

  test('a grant needs the PIN: until the operator accepts it, tools do not have it', async () => {
    const local = `net:127.0.0.1:${bank.server.port}`;
    const session = await bank.bench.session({ principal: 'agent', allow: [`bank=${local}`] });
    const before = await session.explain({ tool: pay });
    expect(before.permissions.granted.network).toHaveLength(1);
    await setPin();
    const after = await session.explain({ tool: pay });
    expect(after.permissions.granted.network).toEqual([]);
    expect(after.inactive.map((it) => it.text)).toEqual([`the grant bank=${local}`]);
    await accept(session);
    expect((await session.explain({ tool: pay })).permissions.granted.network).toHaveLength(1);
  });

  test('a relative path of a grant means one folder, not the same words in every workspace', async () => {
    await setPin();
    await accept(await bank.bench.session({ allow: ['write:here'] }));
    const same = await bank.bench.session({ allow: ['write:here'] });
    const elsewhere = await bank.bench.session({ allow: ['write:here'], root: bank.bench.path });
    expect((await same.waivers()).map((it) => it.active)).toEqual([true]);
    expect((await elsewhere.waivers()).map((it) => it.active)).toEqual([false]);
  });

  test.each<[string, SessionPolicy]>([
    ['trusted', { trusted: ['bank'] }],
    ['no-guesses', { noGuesses: ['bank'] }],
    ['scan-exempt', { scanExempt: ['bank/pay result.note jwt'] }],
    ['limit', { limits: { memoryBytes: 2 ** 40 } }],
    ['limit', { limits: { processes: Number.NaN } }],
    ['nats', { natsUrl: 'nats://user:hunter2@127.0.0.1:4222' }],
    ['broker', { broker: { url: 'https://elsewhere.example' } }],
    ['rule', { rules: [{ tool: 'bank', undeclaredEffect: 'write', origin: { kind: 'session' } }] }],
  ])('the setting %s (%j) needs the PIN, and its entry shows no login', async (kind, policy) => {
    const session = await open(policy);
    const own = async () => (await session.waivers()).filter((it) => it.kind === kind);
    expect(await own()).toMatchObject([{ active: true, verified: false }]);
    await setPin();
    expect(await own()).toMatchObject([{ active: false }]);
    await accept(session);
    expect(await own()).toMatchObject([{ active: true, verified: true }]);
    expect(JSON.stringify(await bank.bench.host.auditTail(100))).not.toContain('hunter2');
  });

  test.each<SessionPolicy>([
    { limits: { memoryBytes: 1024, wallSeconds: 999 } },
    { rules: [{ ...rule, approval: 'ask', overManifest: false }] },
    { rules: [{ tool: '*', undeclaredEffect: 'destructive', origin: { kind: 'session' } }] },
    { deny: ['net:*'], roots: ['/'], only: ['bank'], disabled: ['x'] },
  ])('control: a setting that only restricts needs nothing: %j', async (policy) => {
    const session = await bank.bench.session({ policy });
    expect(await session.waivers()).toEqual([]);
  });

  test('a broker whose URL nobody accepted gets no key, and neither does the default one', async () => {
    const asked: string[] = [];
    const send: SendToBroker = async ({ url }) => {
      asked.push(url);
      return { status: 200, text: '{"status":"completed","context":{"token":"t"}}' };
    };
    const settings = { policy: { broker: { url: 'https://elsewhere.example' } }, allow: [], root: '/' };
    const key = { value: 'k', audience: { kind: 'any' } };
    const mint = (isActive: boolean) =>
      mintToken({ id: 'mail' } as Package, slot, {
        broker: new TokenBroker(send, Date.now),
        vault: { value: async () => key } as unknown as Vault,
        policy: settingsInForce(settings, () => isActive).policy.broker ?? {},
        principal: 'ada',
      });
    await expect(mint(false)).rejects.toMatchObject({ code: 'needs_setup' });
    expect(asked).toEqual([]);
    // Control: an accepted one gets it.
    await mint(true).catch(() => {});
    expect(asked).toEqual([expect.stringContaining('https://elsewhere.example')]);
  });
});

describe('a session without a sandbox', () => {
  const without = { unsafeNoSandbox: true } as const;

  test('needs the PIN each time once one is set', async () => {
    await open(without);
    await setPin();
    for (const operator of [undefined, 'mallory', { name: 'person', channel: 'terminal' } as const]) {
      const options = { policy: without, ...(operator === undefined ? {} : { operator }) };
      await expect(bank.bench.session(options)).rejects.toMatchObject({ code: 'pin_required' });
    }
    await bank.bench.session({ policy: without, operator: { ...person } });
    await expect(bank.bench.session({ policy: without })).rejects.toMatchObject({ code: 'pin_required' });
    const entries = (await recorded(bank, 'operator')).filter(
      (it) => it.operation === 'session without sandbox',
    );
    expect(entries.map((it) => it.verified)).toEqual([false, true]);
  });
});

describe('over the socket', () => {
  let server: SocketServer;
  let path: string;
  beforeEach(async () => {
    path = join(bank.bench.path, 'state', 'host.sock');
    const onBug = (error: unknown) => bank.bench.bugs.push(error);
    const state = join(bank.bench.path, 'state');
    server = await openSocketServer(bank.bench.host, { state, path, version: '1', now: Date.now, onBug });
  });
  afterEach(() => server.close());

  /** Opens a session as any program of the same user can, sends one line, and returns what the host answers. */
  function exchange(protocol: 'host' | 'mcp', policy: SessionPolicy, lines: readonly object[], more = {}) {
    const hello = {
      ...{ toolwharf: 'hello', version: '1', protocol, principal: 'mallory/mcp' },
      directories: [bank.bench.packages],
      root: bank.bench.root,
      allow: [`net:localhost:${bank.server.port}`],
      environment: {},
      policy,
      intent: 'use',
      accept: null,
      ...more,
    };
    return new Promise<JsonObject[]>((resolve, reject) => {
      const socket = createConnection(path);
      let received = '';
      socket.once('error', reject);
      socket.on('data', (chunk) => {
        received += chunk;
        const answers = received.split('\n').slice(0, -1);
        if (answers.length < lines.length + 1 && !received.includes('"rejected"')) return;
        socket.destroy();
        resolve(answers.map((it) => JSON.parse(it) as JsonObject));
      });
      socket.write([hello, ...lines].map((it) => `${JSON.stringify(it)}\n`).join(''));
    });
  }

  const input = { tool: pay, arguments: usual };
  const call = { id: 1, operation: 'session.call', input };
  const mcpLines = [
    {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'bank_pay', arguments: usual } },
  ];

  test('a policy in the hello of a program does not waive the question', async () => {
    await setPin();
    const [, answer] = await exchange('host', { rules: [rule] }, [call]);
    expect(answer?.result).toMatchObject({ status: 'confirmation_required' });
    expect(bank.paid()).toEqual([]);
  });

  test('a policy in the hello of an MCP client does not, and the welcome says what to do', async () => {
    await setPin();
    const [welcome, ...answers] = await exchange('mcp', { rules: [rule] }, mcpLines);
    expect(JSON.stringify(welcome?.notes)).toContain('toolwharf policy accept');
    expect(JSON.stringify(answers)).toContain('approval');
    expect(bank.paid()).toEqual([]);
  });

  test('control: without a PIN both run', async () => {
    await exchange('host', { rules: [rule] }, [call]);
    expect(bank.paid()).toHaveLength(1);
    const answers = await exchange('mcp', { rules: [rule] }, mcpLines);
    expect([JSON.stringify(answers), bank.paid().length]).toEqual([expect.stringContaining('done'), 2]);
  });

  test('a program cannot accept a rule or run without a sandbox by claiming to be the operator', async () => {
    await setPin();
    const [, listed] = await exchange('host', { rules: [rule] }, [{ id: 1, operation: 'session.waivers' }]);
    const waivers = (listed?.result ?? []) as unknown as { id: string; kind: string }[];
    const found = waivers.find((it) => it.kind === 'rule');
    for (const by of ['person', { name: 'person', channel: 'client' }, { name: 'person', signIn: 'tws_x' }]) {
      const request = { id: 1, operation: 'session.acceptWaiver', input: { id: found?.id }, by };
      const [, answer] = await exchange('host', { rules: [rule] }, [request]);
      expect(answer?.error).toMatchObject({ code: 'pin_required' });
      const unsafe = await exchange('host', { unsafeNoSandbox: true }, [call], { operator: by });
      expect(unsafe[0]?.error).toMatchObject({ code: 'pin_required' });
    }
    const proven = { name: 'person', pin };
    const control = await exchange('host', { unsafeNoSandbox: true }, [call], { operator: proven });
    expect(control[0]).toMatchObject({ toolwharf: 'welcome' });
  });
});

describe('over HTTP', () => {
  let server: HttpServer;
  const tokens = {
    operator: `tw_${randomBytes(32).toString('base64url')}`,
    agent: `tw_${randomBytes(32).toString('base64url')}`,
  };
  beforeEach(async () => {
    server = await openHttpServer(bank.bench.host, {
      port: 0,
      startTokens: [
        { name: 'op', role: 'operator', token: tokens.operator },
        { name: 'agent', role: 'agent', token: tokens.agent },
      ],
      session: {
        directories: [bank.bench.packages],
        root: bank.bench.root,
        accept: null,
        allow: [`net:localhost:${bank.server.port}`],
        policy: { rules: [rule] },
      },
      version: '1',
      now: Date.now,
      onBug: (error) => bank.bench.bugs.push(error),
    });
  });
  afterEach(() => server.close());

  async function post(role: 'operator' | 'agent', name: string, body: object, headers = {}) {
    const response = await fetch(`${server.url}/api/v1/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens[role]}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  }

  test('only an operator with the PIN accepts a rule; the open session of the agent then follows it', async () => {
    await setPin();
    const call = () => post('agent', 'call', { tool: pay, arguments: usual });
    expect((await call()).status).toBe(202);
    const { body } = await post('operator', 'operations/session.waivers', {});
    const waivers = body.result as unknown as { id: string; kind: string; active: boolean }[];
    const { id } = waivers.find((it) => it.kind === 'rule') as { id: string };
    const accepting = 'operations/session.acceptWaiver';
    expect((await post('agent', accepting, { id }, { 'toolwharf-pin': pin })).status).toBe(403);
    expect((await post('operator', accepting, { id })).status).toBe(403);
    // A policy or rule in the body of a call is nothing that the call knows.
    await post('agent', 'call', { tool: pay, arguments: usual, policy: { rules: [rule] } });
    expect(bank.paid()).toEqual([]);
    const done = await post('operator', accepting, { id }, { 'toolwharf-pin': pin });
    expect(done.body.result).toMatchObject({ active: true, verified: true });
    expect((await call()).status).toBe(200);
    expect(bank.paid()).toEqual(['POST /pay/alice/5']);
  });
});

test('an answer that a standing rule allows names that rule in its entry', async () => {
  const { definition } = (await bank.session.tools()).find((it) => it.name === pay) as { definition: string };
  const conditions = ['to', 'amount', 'path'].map((argument) => ({
    argument,
    condition: { test: 'any' } as const,
  }));
  const standing = {
    tool: pay,
    definition,
    principal: null,
    conditions,
    destructive: false,
    expiresAt: null,
  };
  const { id } = await bank.bench.host.approvals.rules.add(standing, 'person');
  const answer: Answer = await payOnce(bank.session);
  expect(answer.status).toBe('ok');
  expect((await recorded(bank, 'intent')).at(-1)?.rule).toBe(id);
});
