import { expect, test } from 'vitest';
import { bubblewrap } from '../../src/sandbox/bubblewrap.js';
import { probeConfinement } from '../../src/sandbox/probe.js';
import type { SandboxProcess } from '../../src/sandbox/sandbox.js';
import { unconfined } from '../../src/sandbox/unconfined.js';

test('confinement that holds is found to hold', async () => {
  expect(await probeConfinement(bubblewrap().spawn)).toEqual({ level: 'enforced' });
});

test('the control: without confinement it finds what is open', async () => {
  let child: SandboxProcess | undefined;
  const found = await probeConfinement((command) => {
    child = unconfined().spawn(command);
    return child;
  });
  // What the probe started there lives on in its group.
  child?.kill();
  expect(found).toMatchObject({
    level: 'unavailable',
    reasons: expect.arrayContaining([
      'files of this machine can be read',
      'new user namespaces can be made',
      'the system call filter is not in force',
      'the bound on processes does not hold',
    ]),
    hint: expect.stringContaining('bwrap'),
  });
});

test('totals that cannot be watched are said', async () => {
  // The right process under a number that nobody has.
  const verdict = await probeConfinement((command) => ({ ...bubblewrap().spawn(command), pid: 2 ** 22 + 1 }));
  expect(verdict).toEqual({
    level: 'degraded',
    reasons: [
      'the memory of all processes of a tool together cannot be watched',
      'the number of files in a private folder cannot be watched',
    ],
  });
});

test('a process that cannot be started is no confinement', async () => {
  const verdict = await probeConfinement(() => {
    throw new Error('no such thing');
  });
  expect(verdict).toMatchObject({ level: 'unavailable', reasons: ['no such thing'] });
});
