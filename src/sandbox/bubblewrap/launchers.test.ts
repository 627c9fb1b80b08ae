import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MemoryGroup } from '../cgroup/memory-group.js';
import { launcherScript, launchers, launchText } from './launchers.js';

/** The launcher reads descriptor 3; here it is a pipe that a shell fills from its standard input. */
function launched(input: string): string {
  const script = 'cat | { exec 3<&0 </dev/null; exec /bin/sh -c "$0"; }';
  const { stdout, status } = spawnSync('/bin/sh', ['-c', script, launcherScript], {
    input,
    encoding: 'utf8',
  });
  return status === 0 ? stdout : `failed ${stdout}`;
}

const printed = (argv: readonly string[]) => argv.map((it) => `<${it}>`).join('');
const print = ['/usr/bin/printf', '<%s>'];

test('every argument reaches the command unchanged, whatever characters it has', () => {
  const character = fc.constantFrom(
    "'",
    '"',
    '\\',
    '\n',
    ' ',
    '$',
    '`',
    '*',
    ';',
    '#',
    'a',
    '\u0081',
    'é',
    '𝕏',
    '\t',
  );
  const word = fc.oneof(
    fc.array(character, { maxLength: 12 }).map((it) => it.join('')),
    fc.string({ unit: 'binary' }).filter((it) => !it.includes('\0')),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (argv) => {
      expect(launched(launchText([...print, ...argv]))).toBe(printed(argv));
    }),
    { numRuns: 60 },
  );
});

test('what follows the command is left for the command to read', () => {
  expect(launched(`${launchText(['/bin/sh', '-c', 'cat <&3'])}--unshare-user\0--chdir\0/tmp\0`)).toBe(
    '--unshare-user\0--chdir\0/tmp\0',
  );
});

test('without a whole command the launcher fails and runs nothing', () => {
  expect(launched('')).toBe('failed ');
  const whole = launchText([...print, 'a\nb']);
  expect(launched(whole)).toBe('<a\nb>');
  expect(launched(whole.slice(0, whole.lastIndexOf("b'")))).toBe('failed ');
});

test('the next launcher is ready when it is needed, and one that was killed is not used', async () => {
  const removed: number[] = [];
  const started: ChildProcess[] = [];
  let groups = 0;
  const create = (): MemoryGroup => {
    const number = ++groups;
    const remove = () => void removed.push(number);
    return { limit: () => {}, add: async () => {}, ranOut: () => false, remove };
  };
  const all = launchers({
    groups: { create },
    spawn: (script) => {
      const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
      started.push(child);
      return child;
    },
  });
  const ended = (child: ChildProcess) => new Promise((resolve) => child.once('close', resolve));
  const last = all.take(true);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(started).toEqual([last.child]);
  last.child.kill('SIGKILL');
  await ended(last.child);
  [started.length, groups] = [0, 0];
  const first = all.take();
  await expect.poll(() => started.length).toBe(2);
  const second = all.take();
  expect(second.child).toBe(started[1]);
  await expect.poll(() => started.length).toBe(3);
  const spare = started[2] as ChildProcess;
  spare.kill('SIGKILL');
  await ended(spare);
  expect(removed).toEqual([3]);
  const third = all.take();
  expect([third.child === started[3], groups]).toEqual([true, 4]);
  await expect.poll(() => started.length).toBe(5);
  for (const it of [first.child, second.child, third.child, started[4] as ChildProcess]) {
    it.kill('SIGKILL');
    await ended(it);
  }
});
