import { expect, test } from 'vitest';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { noSandbox } from '../../../src/sandbox/no-sandbox.js';
import type { SandboxProcess } from '../../../src/sandbox/sandbox.js';
import { probeSandbox } from '../../../src/sandbox/sandbox-probe.js';

test('the probe confirms a working sandbox', async () => {
  expect(await probeSandbox(bubblewrap().spawn)).toEqual({ level: 'enforced' });
});

test('control: without a sandbox, the probe reports what is exposed', async () => {
  let child: SandboxProcess | undefined;
  const found = await probeSandbox((command) => {
    child = noSandbox().spawn(command);
    return child;
  });
  // Processes that the probe started are still in its group.
  child?.kill();
  expect(found).toMatchObject({
    level: 'unavailable',
    reasons: expect.arrayContaining([
      'files of this machine are readable',
      'new user namespaces can be created',
      'the seccomp filter is not active',
      'the process limit is not enforced',
    ]),
    hint: expect.stringContaining('bwrap'),
  });
});

test('the probe reports totals that cannot be monitored', async () => {
  // The real process, but with a PID that does not exist.
  const verdict = await probeSandbox((command) => ({ ...bubblewrap().spawn(command), pid: 2 ** 22 + 1 }));
  expect(verdict).toEqual({
    level: 'degraded',
    reasons: [
      'the total memory of all processes of a tool cannot be monitored',
      'the number of files in /tmp cannot be monitored',
    ],
  });
});

test('a sandbox that cannot start a process is unavailable', async () => {
  const verdict = await probeSandbox(() => {
    throw new Error('no such thing');
  });
  expect(verdict).toMatchObject({ level: 'unavailable', reasons: ['no such thing'] });
});
