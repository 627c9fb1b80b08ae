// Settings of a registry that need more than a line in the configuration: its token, and accepting an expired copy.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import { createHost } from '../../../src/index.js';
import { counterSource, publishCounter, registryMachine } from '../../support/registry-machine.js';
import { RegistryServerBench } from '../../support/registry-server.js';
import { dayMs, RegistryWorkbench } from '../../support/registry-workbench.js';

test('a private registry is read with the token of the vault, which is sent to the hosts that it is for', async () => {
  const bench = new RegistryServerBench();
  onTestFinished(() => bench.close());
  bench.registry.clock.now = Date.now();
  await bench.open({ isPrivate: true });
  await bench.registry.approve('acme');
  await publishCounter(bench.registry, '1.0.0', 'one');
  const root = join(bench.registry.base, 'project');
  mkdirSync(root);
  const host = await createHost({ state: join(bench.registry.base, 'consumer') });
  onTestFinished(() => host.close());
  const registries = [{ name: 'team', url: bench.server.url, root: sha256(bench.registry.firstRoot) }];
  const session = await host.session({
    ...{ directories: [], accept: null, root, allow: [], policy: { registries } },
  });
  const plan = () => session.installations.plan({ source: counterSource });
  await expect(plan()).rejects.toMatchObject({ code: 'auth_required' });
  const { token } = bench.services.tokens.create({
    ...{ name: 'reader', role: 'read', namespaces: [], lifetimeMs: 60_000 },
  });
  const entry = { package: '@registry', slot: 'team', value: token, by: 'operator' };
  await host.secrets.set({ ...entry, audience: { kind: 'hosts', hosts: ['elsewhere.example'] } });
  await expect(plan()).rejects.toMatchObject({ code: 'auth_required' });
  await host.secrets.set({ ...entry, audience: { kind: 'hosts', hosts: ['127.0.0.1'] } });
  expect(await plan()).toMatchObject({ package: { id: 'counter' } });
});

test('accept_expired has no effect once a PIN is set, until it is accepted with it, and its use is in the audit log', async () => {
  const past = Date.now() - 40 * dayMs;
  const old = await agedRegistry(past);
  onTestFinished(() => old.close());
  const machine = await registryMachine(old, 'consumer');
  onTestFinished(() => machine.host.close());
  const setting = { name: 'main', path: old.folder, root: sha256(old.firstRoot) };
  const policy = { registries: [{ ...setting, acceptExpired: true }] };
  const strict = await machine.session({ registries: [setting] });
  await expect(strict.installations.plan({ source: counterSource })).rejects.toThrow(/too old/);

  const session = await machine.session(policy);
  expect(await session.installations.plan({ source: counterSource })).toMatchObject({
    package: { id: 'counter' },
  });
  const entries = await machine.host.auditTail(20);
  expect(JSON.stringify(entries)).toContain('expired registry used');

  await machine.host.operator.setPin('471122', 'operator');
  await expect(session.installations.plan({ source: counterSource })).rejects.toThrow(/too old/);
  const waiver = (await session.waivers()).find((it) => it.kind === 'expired-registry');
  await session.acceptWaiver(waiver?.id ?? '', { name: 'operator', channel: 'terminal', pin: '471122' });
  expect(await session.installations.plan({ source: counterSource })).toMatchObject({
    package: { id: 'counter' },
  });
});

async function agedRegistry(now: number) {
  const bench = new RegistryWorkbench();
  bench.clock.now = now;
  await bench.create();
  await bench.approve('acme');
  await publishCounter(bench, '1.0.0', 'one');
  return bench;
}
