// Prompts of packages, tokens and change notifications, through the library.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost, type Host } from '../../../src/index.js';
import { patchTool, temporaryFolder } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let clock = Date.parse('2026-01-01T00:00:00Z');

beforeEach(async () => {
  folder = temporaryFolder({ 'tools/count.py': patchTool({ name: 'count' }) });
  host = await createHost({ state: join(folder.path, 'state'), warm: false, now: () => clock });
});

afterEach(async () => {
  await host.close();
  folder.remove();
});

const examples = join(import.meta.dirname, '../../../examples');

test('prompts of packages have unique names, and their text is read from the checked files', async () => {
  const session = await host.session({ directories: [examples], root: folder.path });
  const prompts = await session.prompts();
  const names = prompts.map((it) => it.name);
  expect(new Set(names).size).toBe(names.length);
  expect(await session.prompts()).toEqual(prompts);
  const shell = prompts.find((it) => it.package === 'statistics-desk');
  expect(shell).toMatchObject({ kind: 'instructions', name: 'statistics-desk' });
  expect(shell?.examples.length).toBeGreaterThan(0);
  expect(await session.prompt('statistics-desk', {})).toMatch(/numbers/);
  const skills = prompts.filter((it) => it.kind === 'skill');
  expect(skills.length).toBeGreaterThan(0);
  for (const it of skills) expect((await session.prompt(it.name, {})).length).toBeGreaterThan(10);
  const template = prompts.find((it) => it.kind === 'template' && it.package === 'minutes-keeper');
  expect(template?.arguments.some((it) => it.required)).toBe(true);
  await expect(session.prompt(template?.name as string, {})).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(session.prompt('no-such-prompt', {})).rejects.toMatchObject({ code: 'not_found' });
});

test('listeners are notified when lists may have changed', async () => {
  const session = await host.session({ directories: [join(folder.path, 'tools')], root: folder.path });
  let notified = 0;
  const stop = session.onChange(() => notified++);
  await host.switches.set('count', false, 'me');
  expect([notified, (await session.tools()).length]).toEqual([1, 0]);
  // No change, so no notification.
  await host.switches.set('count', false, 'me');
  expect(notified).toBe(1);
  stop();
  await host.switches.set('count', true, 'me');
  expect(notified).toBe(1);
});

test('a token expires after 90 days by default; the key of a stdio client and a token without an end do not', async () => {
  const wanted = { name: 'default', role: 'agent', by: 'me' } as const;
  const made = await host.tokens.create(wanted);
  expect(made.entry.expiresAt).toBe(clock + 90 * 86_400_000);
  const lasting = await host.tokens.create({ ...wanted, name: 'lasting', expiresAt: null });
  const key = await host.tokens.create({ ...wanted, kind: 'stdio', user: 'alice', name: 'desk' });
  expect([lasting.entry.expiresAt, key.entry.expiresAt]).toEqual([null, null]);
  expect(await host.tokens.checkExpired(made.token)).toBeNull();
  clock += 90 * 86_400_000;
  expect(await host.tokens.check(made.token)).toBeNull();
  expect(await host.tokens.checkExpired(made.token)).toEqual(made.entry);
  expect(await host.tokens.check(lasting.token)).toEqual(lasting.entry);
  expect(await host.tokens.check(key.token)).toEqual(key.entry);
});

test('a token is valid until it expires or is revoked, and is never shown again', async () => {
  const wanted = { name: 'ci', role: 'agent', by: 'me' } as const;
  const { entry, token } = await host.tokens.create({ ...wanted, expiresAt: clock + 1000 });
  expect(await host.tokens.check(token)).toEqual(entry);
  expect(await host.tokens.check(`${token}x`)).toBeNull();
  clock += 1000;
  expect(await host.tokens.check(token)).toBeNull();
  const lasting = await host.tokens.create({ ...wanted, expiresAt: null });
  expect(await host.tokens.revoke(lasting.entry.id, 'me')).toBe(true);
  expect(await host.tokens.check(lasting.token)).toBeNull();
  expect(await host.tokens.revoke(lasting.entry.id, 'me')).toBe(false);
  const shown = JSON.stringify([await host.tokens.list(), await host.auditTail(50)]);
  expect(shown).not.toContain(token);
});
