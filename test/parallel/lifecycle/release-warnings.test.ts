// A registry withdraws or warns about a release that is installed.
import { expect, onTestFinished, test } from 'vitest';
import {
  counterRegistry,
  countWith,
  installCounter,
  publishCounter,
  quarantineCounter,
  type RegistryMachine,
  registryMachine,
} from '../../support/registry-machine.js';
import type { RegistryWorkbench } from '../../support/registry-workbench.js';

async function installed(): Promise<{ bench: RegistryWorkbench; machine: RegistryMachine }> {
  const bench = await counterRegistry();
  onTestFinished(() => bench.close());
  const machine = await registryMachine(bench, 'consumer');
  onTestFinished(() => machine.host.close());
  await installCounter(await machine.session());
  return { bench, machine };
}

const stateOf = async (machine: RegistryMachine) => (await (await machine.session()).packages()).packages[0];

test('a release that was withdrawn after it was installed still runs, and its status says why it was withdrawn', async () => {
  const { bench, machine } = await installed();
  const session = await machine.session();
  expect((await stateOf(machine))?.reasons.join()).not.toContain('withdrew');
  await bench.yank('acme/counter', '1.0.0', 'wrong answer');
  await session.installations.outdated();
  expect(await countWith(session)).toMatchObject({ status: 'ok' });
  expect(await stateOf(machine)).toMatchObject({
    state: 'ready',
    reasons: expect.arrayContaining([
      'the publisher withdrew acme/counter 1.0.0 from the registry main: "wrong answer"',
    ]),
  });
  expect(await machine.host.health.check()).toContainEqual(
    expect.objectContaining({
      id: 'releases',
      status: 'warn',
      message: expect.stringContaining('wrong answer'),
    }),
  );
});

test('each call of a release under quarantine is held with the reason, although a rule allows it', async () => {
  const { bench, machine } = await installed();
  const session = await machine.session();
  expect(await countWith(session)).toMatchObject({ status: 'ok' });
  await quarantineCounter(bench, '1.0.0', 'sends files away');
  await session.installations.outdated();
  const held = await countWith(session);
  expect(held).toMatchObject({
    status: 'confirmation_required',
    confirmation: {
      kind: 'quarantine',
      reasons: expect.arrayContaining([
        'the registry main warns about acme/counter 1.0.0: "sends files away"',
      ]),
    },
  });
  const [request] = await machine.host.approvals.list();
  await machine.host.approvals.approve(request?.id ?? '', 'operator');
  expect(await countWith(session)).toMatchObject({ status: 'ok' });
  // The approval was for one call.
  expect(await countWith(session)).toMatchObject({ status: 'confirmation_required' });

  // Another version is not under quarantine, and the warning is not about it.
  await publishCounter(bench, '1.1.0', 'two');
  await installCounter(session);
  expect(await countWith(session)).toMatchObject({ status: 'ok' });
});

test('a warning outlives the host', async () => {
  const { bench, machine } = await installed();
  await quarantineCounter(bench, '1.0.0', 'sends files away');
  await (await machine.session()).installations.outdated();
  await machine.host.close();
  const again = await registryMachine(bench, 'consumer');
  onTestFinished(() => again.host.close());
  const session = await again.session();
  expect(await countWith(session)).toMatchObject({ status: 'confirmation_required' });
});

test('the operator decides what a quarantine does: calls are refused with disable, and run with report', async () => {
  const { bench, machine } = await installed();
  await quarantineCounter(bench, '1.0.0', 'sends files away');
  await (await machine.session()).installations.outdated();
  const off = await machine.session({ onQuarantine: 'disable' });
  expect(await countWith(off)).toMatchObject({
    status: 'denied',
    error: { code: 'disabled', message: expect.stringContaining('sends files away') },
  });
  const shown = await machine.session({ onQuarantine: 'report' });
  expect(await countWith(shown)).toMatchObject({ status: 'ok' });
  expect((await shown.packages()).packages[0]?.reasons.join()).toContain('sends files away');
});
