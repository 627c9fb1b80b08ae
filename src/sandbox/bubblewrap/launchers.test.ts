import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { launcherScript, launchText } from './launchers.js';

/** The launcher reads descriptor 3; here it is a pipe that a shell fills from its standard input. */
function launched(input: string): string {
  return execFileSync(
    '/bin/sh',
    ['-c', 'cat | { exec 3<&0 </dev/null; exec /bin/sh -c "$0"; }', launcherScript],
    {
      input,
      encoding: 'utf8',
    },
  );
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
      expect(launched(launchText([...print, ...argv], []))).toBe(printed(argv));
    }),
    { numRuns: 60 },
  );
});

test('what follows the command is left for the command to read', () => {
  expect(launched(`${launchText(['/bin/sh', '-c', 'cat <&3'], [])}--unshare-user\0--chdir\0/tmp\0`)).toBe(
    '--unshare-user\0--chdir\0/tmp\0',
  );
});

test('a descriptor that the command must not get is closed', () => {
  const seen = ['/bin/sh', '-c', 'if [ -e /proc/self/fd/3 ]; then echo open; else echo closed; fi'];
  expect(launched(launchText(seen, []))).toBe('open\n');
  expect(launched(launchText(seen, [3]))).toBe('closed\n');
  expect(() => launchText(seen, [10])).toThrow('0 to 9');
});

test('without a whole command the launcher ends and runs nothing', () => {
  expect(launched('')).toBe('');
  const whole = launchText([...print, 'a\nb'], []);
  expect(launched(whole)).toBe('<a\nb>');
  expect(launched(whole.slice(0, whole.lastIndexOf("b'")))).toBe('');
});
