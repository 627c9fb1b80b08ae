// The places outside the state directory that get the newest checkpoint: a keychain and a webhook. test/parallel/attacks
// has the folder.
import { createHmac } from 'node:crypto';
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createHost, type HostOptions } from '../../../src/index.js';
import { auditItem, systemKeychain } from '../../../src/secrets/keychain.js';
import { openSqlite } from '../../../src/store/sqlite/sqlite.js';
import { openCheckpoint } from '../../support/tlog-verifier.js';
import { type LoopbackServer, loopbackServer, temporaryFolder, until } from '../../support/toolwharf.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());
let number = 0;
const newState = () => join(folder.path, `state-${number++}`);
const open = (state: string, options: Partial<HostOptions>) =>
  createHost({ state, warm: false, watch: false, ...options });

/** A keychain in memory. */
function keychain(problem?: () => Error | undefined) {
  const values = new Map<string, string>();
  const use = () => {
    const error = problem?.();
    if (error !== undefined) throw error;
  };
  return {
    values,
    name: 'the test keychain',
    read: async (id: string) => {
      use();
      return values.get(id);
    },
    write: async (id: string, value: string) => {
      use();
      values.set(id, value);
    },
    remove: async (id: string) => void values.delete(id),
  };
}

const audit = { anchorKeychain: true };
const entries = (state: string, kind: string) => {
  const database = openSqlite(join(state, 'toolwharf.db'));
  try {
    return database
      .all('select body from audit where kind = ?', [kind])
      .map((it) => JSON.parse(String(it.body)));
  } finally {
    database.close();
  }
};

describe('the keychain', () => {
  test('gets the newest checkpoint as one short word, and notices an older state directory', async () => {
    const state = newState();
    const store = keychain();
    await (await open(state, { audit, keychain: store })).close();
    const backup = `${state}-backup`;
    cpSync(state, backup, { recursive: true });
    await (await open(state, { audit, keychain: store })).close();
    const [value = ''] = store.values.values();
    expect(value).toMatch(/^[A-Za-z0-9+/=]{1,2000}$/);
    rmSync(state, { recursive: true });
    cpSync(backup, state, { recursive: true });
    const told: string[] = [];
    const host = await open(state, { audit, keychain: store, onRollback: (it) => told.push(it) });
    await until(() => told.length > 0);
    expect(told).toEqual([
      expect.stringMatching(/rolled back: .* but the test keychain .* has a checkpoint/),
    ]);
    expect(await host.rollbacks.list()).toMatchObject([{ kind: 'shorter' }]);
    await host.close();
    // Now the keychain has the checkpoint of the log as it is.
    const again = await open(state, { audit, keychain: store });
    expect(await again.verifyAudit()).toMatchObject({
      ok: false,
      problem: expect.stringContaining('not acknowledged'),
    });
    await again.close();
  });

  test('a system without a keychain is not a problem, and nothing is logged about it', async () => {
    const state = newState();
    const store = keychain(() => new Error('no session bus'));
    const host = await open(state, { audit, keychain: store });
    await host.kills.set('one', 'tester', true);
    expect(await host.verifyAudit()).toMatchObject({ ok: true, anchors: 0 });
    expect((await host.verifyAudit()).warnings).toBeUndefined();
    await host.close();
    expect(entries(state, 'anchor')).toEqual([]);
  });

  test('a keychain that was used and is locked now is a warning, and its anchor is not overwritten', async () => {
    const state = newState();
    let locked = false;
    const store = keychain(() => (locked ? new Error('it is locked') : undefined));
    await (await open(state, { audit, keychain: store })).close();
    const [before] = store.values.values();
    locked = true;
    const host = await open(state, { audit, keychain: store });
    expect(await host.verifyAudit()).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/test keychain .* cannot be read: it is locked/)],
    });
    locked = false;
    await host.close();
    expect([...store.values.values()]).toEqual([before]);
    expect(entries(state, 'anchor')).toEqual([
      expect.objectContaining({ problem: expect.stringContaining('locked') }),
    ]);
  });

  test('an entry that was removed from the keychain is reported', async () => {
    const state = newState();
    const store = keychain();
    await (await open(state, { audit, keychain: store })).close();
    store.values.clear();
    const told: string[] = [];
    const host = await open(state, { audit, keychain: store, onRollback: (it) => told.push(it) });
    await until(() => told.length > 0);
    expect(told).toEqual([expect.stringMatching(/test keychain .* is missing/)]);
    await host.close();
  });

  test.each(['linux', 'darwin'])('its entries on %s are not those of the vault', async (platform) => {
    const commands: string[] = [];
    const run = async (command: readonly string[], stdin: string) => {
      commands.push([...command, stdin].join(' '));
      return { code: 0, stdout: 'x', stderr: '' };
    };
    await systemKeychain(platform, run)?.write('id', 'value');
    await systemKeychain(platform, run, auditItem)?.write('id', 'value');
    expect(commands[0]).toContain('toolwharf-vault');
    expect(commands[1]).toContain('toolwharf-audit');
    expect(commands[1]).not.toContain('toolwharf-vault');
  });
});

describe('the webhook', () => {
  let server: LoopbackServer | undefined;
  afterEach(() => server?.close());

  interface Posted {
    readonly body: string;
    readonly signature: string;
  }

  async function receiver(answer: (count: number, response: ServerResponse) => void) {
    const posted: Posted[] = [];
    server = await loopbackServer(async (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      posted.push({ body, signature: String(request.headers['toolwharf-signature']) });
      answer(posted.length, response);
    });
    const url = `http://127.0.0.1:${server.port}/checkpoints`;
    return { posted, anchorWebhook: { url, allow: [`toolwharf=net:127.0.0.1:${server.port}`] } };
  }

  test('gets the newest checkpoint, signed like every message of the host', async () => {
    const { posted, anchorWebhook } = await receiver((_, response) => response.end());
    const host = await open(newState(), { audit: { anchorWebhook } });
    await host.kills.set('one', 'tester', true);
    const key = Buffer.from(await host.approvals.noticeKey('tester'), 'hex');
    const last = (await host.auditTail(1))[0]?.seq ?? 0;
    await host.close();
    const { body, signature } = posted.at(-1) as Posted;
    const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    expect(mac).toBe(createHmac('sha256', key).update(`${time}.${body}`).digest('hex'));
    const { schema, note, verifierKey } = JSON.parse(body);
    expect(schema).toBe('toolwharf/audit-checkpoint@1');
    expect(openCheckpoint(note, verifierKey).size).toBeGreaterThanOrEqual(last);
  });

  test('a failed delivery blocks nothing and is repeated with the newest checkpoint', async () => {
    const { posted, anchorWebhook } = await receiver((count, response) => {
      response.statusCode = count < 3 ? 503 : 200;
      response.end();
    });
    const state = newState();
    const host = await open(state, { audit: { anchorWebhook } });
    await host.kills.set('one', 'tester', true);
    await until(() => posted.length > 0);
    await host.kills.set('two', 'tester', true);
    await until(async () => (await host.auditTail(50)).some((it) => it.kind === 'anchor'));
    const [failed] = (await host.auditTail(50)).filter((it) => it.kind === 'anchor');
    expect(failed?.body).toMatchObject({
      place: expect.stringContaining('webhook'),
      problem: expect.stringMatching(/503/),
    });
    await host.close();
    const sizes = posted.map((it) => Number(JSON.parse(it.body).note.split('\n')[1]));
    expect(sizes.at(-1)).toBeGreaterThan(sizes[0] as number);
  });

  test('a receiver that never answers delays the end of a host by two seconds at most', async () => {
    const { posted, anchorWebhook } = await receiver(() => {});
    const host = await open(newState(), { audit: { anchorWebhook } });
    const before = performance.now();
    await host.close();
    expect(posted).toHaveLength(1);
    expect(performance.now() - before).toBeLessThan(4000);
  });

  test('a private address needs a grant', async () => {
    const { posted, anchorWebhook } = await receiver((_, response) => response.end());
    const state = newState();
    await (await open(state, { audit: { anchorWebhook: { url: anchorWebhook.url } } })).close();
    expect(posted).toEqual([]);
  });
});

test('a folder that cannot be written is logged once, and calls go on', async () => {
  const state = newState();
  const blocked = join(folder.path, 'blocked');
  symlinkSync(join(folder.path, 'nothing', 'here'), blocked);
  const host = await open(state, { audit: { anchorFolder: blocked }, anchorDelaysMs: [10] });
  await host.kills.set('one', 'tester', true);
  await until(async () => (await host.auditTail(50)).some((it) => it.kind === 'anchor'));
  rmSync(blocked);
  await host.kills.set('two', 'tester', true);
  const anchor = async () =>
    (await host.auditTail(50)).filter((it) => it.kind === 'anchor').map((it) => it.body);
  await until(async () => (await anchor()).length > 1);
  expect(await anchor()).toEqual([
    expect.objectContaining({ problem: expect.any(String) }),
    expect.objectContaining({ status: 'works again' }),
  ]);
  await host.close();
});
