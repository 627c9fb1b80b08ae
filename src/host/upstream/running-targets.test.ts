import { expect, test } from 'vitest';
import type { Program } from '../../model/program.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import type { ComparedUpstream } from './compared-upstream.js';
import { RunningTargets, type TargetUse } from './running-targets.js';
import type { UpstreamTarget } from './upstream-connections.js';

const use: TargetUse = {
  checked: {} as CheckedPackage,
  subject: {} as Program,
  inputs: {} as ProfileInputs,
};
const target = { key: 'one' } as UpstreamTarget<ComparedUpstream>;

function targetsWith(running: { is: boolean }): RunningTargets {
  const targets = new RunningTargets({ isRunning: (it) => running.is && it === target });
  targets.keep(use, target);
  return targets;
}

test('a target is found again while its program runs', () => {
  expect(targetsWith({ is: true }).find({ ...use })).toBe(target);
});

test('a program that has to be started gets a new target', () => {
  const running = { is: true };
  const targets = targetsWith(running);
  running.is = false;
  expect(targets.find(use)).toBeUndefined();
});

test('a package that was checked again gets a new target', () => {
  expect(targetsWith({ is: true }).find({ ...use, checked: {} as CheckedPackage })).toBeUndefined();
});

test('other grants or settings of the session need a new target', () => {
  expect(targetsWith({ is: true }).find({ ...use, inputs: {} as ProfileInputs })).toBeUndefined();
});

test('a tool with an access of its own does not get the target of its program', () => {
  expect(targetsWith({ is: true }).find({ ...use, subject: {} as Program })).toBeUndefined();
});
