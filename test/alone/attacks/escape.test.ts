// Attempts to leave the sandbox, in three languages. Each is a script that prints REACHED if it succeeds. A
// check counts only with a control: the same script succeeds without the sandbox as an ordinary user, or in
// the same sandbox with exactly one layer less. The table at the end shows which.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workingLevel } from '../../support/control-group.js';
import { until } from '../../support/toolwharf.js';
import { answerChecks } from './escape/answers.js';
import type { Attempt, Check } from './escape/attempt.js';
import { bombAttempts } from './escape/bombs.js';
import { doorChecks } from './escape/doors.js';
import { fileAttempts } from './escape/files.js';
import { type Ground, prepareGround } from './escape/ground.js';
import { kernelAttempts } from './escape/kernel.js';
import { lifetimeChecks, processesWith } from './escape/lifetimes.js';
import { networkAttempts } from './escape/network.js';
import { processAttempts } from './escape/processes.js';
import { type Row, tableOf } from './escape/report.js';
import { Runner } from './escape/run.js';

let ground: Ground;
let runner: Runner;
const rows: Row[] = [];

beforeAll(async () => {
  ground = await prepareGround();
  runner = new Runner(ground.folder, ground.place);
  // A missing sandbox makes the tests fail; they are not skipped.
  expect(await runner.sandbox.probe()).toMatchObject({ level: workingLevel });
});

afterAll(async () => {
  await ground.remove();
  process.stdout.write(tableOf(rows));
});

const titled = <T extends Attempt | Check>(all: readonly T[]) =>
  all.map((it) => [`${it.name} (${it.language})`, it] as const);

async function attack(attempt: Attempt): Promise<void> {
  const control = await controlOf(attempt);
  const text = await runner.confined(attempt);
  expect(text).toContain('BEGAN');
  expect(text).not.toContain('REACHED');
  rows.push({ name: attempt.name, language: attempt.language, ...control });
}

describe.concurrent.each([
  ['files', fileAttempts],
  ['processes', processAttempts],
  ['network', networkAttempts],
  ['kernel', kernelAttempts],
] as const)('a sandboxed script has no access outside: %s', (_, attempts) => {
  test.each(titled(attempts))('it cannot %s', (_, attempt) => attack(attempt));
});

describe('a sandboxed script cannot exceed its limits', () => {
  test.each(titled(bombAttempts))('it cannot %s', async (_, attempt) => {
    await attack(attempt);
    // The script, all its processes and its files are gone.
    await until(() => processesWith(runner.mark, 'environ').length === 0, 5000);
    expect(readdirSync(tmpdir()).filter((it) => it.startsWith('fill'))).toEqual([]);
    expect(readdirSync(ground.place.open).filter((it) => it !== 'written')).toEqual([]);
  });
});

describe.each([
  [
    'resources of the host and of other sandboxes',
    doorChecks(
      () => runner,
      () => ground.place,
      () => ground.folder,
    ),
  ],
  [
    'processes after the end of a call or host',
    lifetimeChecks(
      () => runner,
      () => ground.folder,
    ),
  ],
  ['output and input of the host', answerChecks(() => runner)],
] as const)('a sandboxed script cannot misuse: %s', (_, checks) => {
  test.each(titled(checks))('it cannot %s', async (_, { name, language, run }) => {
    const shown = await run();
    rows.push({
      name,
      language,
      ...(typeof shown === 'string' ? { control: shown } : { control: null, ...shown }),
    });
  });
});

/** Shows that the attempt would succeed. It may fail only if this machine may lack the target. */
async function controlOf(attempt: Attempt): Promise<Pick<Row, 'control' | 'reason'>> {
  const control = attempt.control ?? { kind: 'unconfined' };
  if (control.kind === 'none') return { control: null, reason: control.reason };
  const text =
    control.kind === 'unconfined'
      ? await runner.unconfined(attempt)
      : await runner.without(control.layer, attempt);
  if (attempt.mayBeAbsent !== undefined && !text.includes('REACHED')) {
    return { control: null, reason: attempt.mayBeAbsent };
  }
  expect(text, 'control').toContain('REACHED');
  return { control: control.kind === 'unconfined' ? 'unconfined' : `without ${control.layer}` };
}

test('at least 60 checks have a control', () => {
  expect(rows.filter((it) => it.control !== null).length).toBeGreaterThanOrEqual(60);
});
