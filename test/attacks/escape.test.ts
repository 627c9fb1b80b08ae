// Ways out of the sandbox, in the three languages that tools are written in. Each is a script that prints REACHED
// when it got what it wanted. A check counts only with a control: the same script succeeds without the sandbox as
// an ordinary user, or in the same sandbox with exactly one layer less. The table at the end says which.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../toolwharf.js';
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
import { type Line, tableOf } from './escape/report.js';
import { Runner } from './escape/run.js';

let ground: Ground;
let runner: Runner;
const lines: Line[] = [];

beforeAll(async () => {
  ground = await prepareGround();
  runner = new Runner(ground.folder, ground.place);
  // Without a sandbox nothing below means anything, so its absence fails and does not skip.
  expect(await runner.sandbox.probe()).toEqual({ level: 'enforced' });
});

afterAll(async () => {
  await ground.remove();
  process.stdout.write(tableOf(lines));
});

const titled = <T extends Attempt | Check>(all: readonly T[]) =>
  all.map((it) => [`${it.name} (${it.language})`, it] as const);

async function attack(attempt: Attempt): Promise<void> {
  const control = await controlOf(attempt);
  const text = await runner.confined(attempt);
  expect(text).toContain('BEGAN');
  expect(text).not.toContain('REACHED');
  lines.push({ name: attempt.name, language: attempt.language, ...control });
}

describe.concurrent.each([
  ['files', fileAttempts],
  ['processes', processAttempts],
  ['network', networkAttempts],
  ['kernel', kernelAttempts],
] as const)('%s', (_, attempts) => {
  test.each(titled(attempts))('%s', (_, attempt) => attack(attempt));
});

describe('bombs', () => {
  test.each(titled(bombAttempts))('%s', async (_, attempt) => {
    await attack(attempt);
    // The machine is as before: the script and all that it started are gone, and so are its files.
    await until(() => processesWith(runner.mark, 'environ').length === 0, 5000);
    expect(readdirSync(tmpdir()).filter((it) => it.startsWith('fill'))).toEqual([]);
    expect(readdirSync(ground.place.open).filter((it) => it !== 'written')).toEqual([]);
  });
});

describe.each([
  [
    'doors',
    doorChecks(
      () => runner,
      () => ground.place,
      () => ground.folder,
    ),
  ],
  [
    'lifetimes',
    lifetimeChecks(
      () => runner,
      () => ground.folder,
    ),
  ],
  ['answers', answerChecks(() => runner)],
] as const)('%s', (_, checks) => {
  test.each(titled(checks))('%s', async (_, { name, language, run }) => {
    const shown = await run();
    lines.push({
      name,
      language,
      ...(typeof shown === 'string' ? { control: shown } : { control: null, ...shown }),
    });
  });
});

/** Shows that the attempt would succeed. Only where a machine may have nothing to attack may it fail to. */
async function controlOf(attempt: Attempt): Promise<Pick<Line, 'control' | 'reason'>> {
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

test('enough of them count', () => {
  expect(lines.filter((it) => it.control !== null).length).toBeGreaterThanOrEqual(60);
});
