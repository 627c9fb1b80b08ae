// An agent wants to use an installed release that its registry warns about.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import { confirmToolName } from '../../../src/model/tool-name.js';
import {
  counterRegistry,
  counterSource,
  countWith,
  installCounter,
  quarantineCounter,
  registryMachine,
} from '../../support/registry-machine.js';

async function attacked() {
  const bench = await counterRegistry();
  onTestFinished(() => bench.close());
  const machine = await registryMachine(bench, 'consumer');
  onTestFinished(() => machine.host.close());
  await installCounter(await machine.session());
  return { bench, machine };
}

test('an agent cannot lift a quarantine: not by an approval from before, and not by confirming its own call', async () => {
  const { bench, machine } = await attacked();
  const asking = { rules: [{ tool: '*', approval: 'ask', origin: { kind: 'session' } }] } as const;
  const session = await machine.session(asking);
  await countWith(session);
  const [before] = await machine.host.approvals.list();
  await machine.host.approvals.approve(before?.id ?? '', 'operator');
  await quarantineCounter(bench, '1.0.0', 'sends files away');
  await session.installations.outdated();

  expect(await countWith(session)).toMatchObject({
    status: 'confirmation_required',
    confirmation: { kind: 'quarantine' },
  });
  const confirm = (token: string) =>
    session.call({ tool: confirmToolName, arguments: { confirmation_token: token } });
  const [held] = await machine.host.approvals.list();
  expect((await confirm(before?.id ?? '')).status).not.toBe('ok');
  expect((await confirm(held?.id ?? '')).status).not.toBe('ok');
});

test('control: the same approval from before runs the call when the release is not under quarantine', async () => {
  const { machine } = await attacked();
  const asking = { rules: [{ tool: '*', approval: 'ask', origin: { kind: 'session' } }] } as const;
  const session = await machine.session(asking);
  await countWith(session);
  const [before] = await machine.host.approvals.list();
  await machine.host.approvals.approve(before?.id ?? '', 'operator');
  expect(await countWith(session)).toMatchObject({ status: 'ok' });
});

test('a list that cannot be read, or that is gone, holds calls instead of letting them run', async () => {
  for (const damage of ['unreadable', 'gone'] as const) {
    const { bench, machine } = await attacked();
    const control = await machine.session();
    expect(await countWith(control)).toMatchObject({ status: 'ok' });
    await machine.host.close();
    const file = join(machine.state, 'registries', 'main.db');
    for (const end of ['-wal', '-shm', '']) rmSync(`${file}${end}`, { force: true });
    if (damage === 'unreadable')
      writeFileSync(file, 'this is not a database, and it is long enough\n'.repeat(100));
    const again = await registryMachine(bench, 'consumer');
    onTestFinished(() => again.host.close());
    expect(await countWith(await again.session())).toMatchObject({
      status: 'confirmation_required',
      confirmation: { kind: 'quarantine' },
    });
  }
});

test('a registry can put under quarantine only content that it has: another one with the same name and version cannot', async () => {
  for (const { answer, status } of [
    { answer: 'other', status: 'ok' },
    // Control: the same content.
    { answer: 'one', status: 'confirmation_required' },
  ]) {
    const { machine } = await attacked();
    const other = await counterRegistry(answer);
    onTestFinished(() => other.close());
    await quarantineCounter(other, '1.0.0', 'not yours');
    const registries = [{ name: 'other', path: other.folder, root: sha256(other.firstRoot) }];
    const asking = await machine.session({ registries });
    await expect(asking.installations.plan({ source: counterSource })).rejects.toThrow('not yours');
    expect(await countWith(await machine.session())).toMatchObject({ status });
  }
});
