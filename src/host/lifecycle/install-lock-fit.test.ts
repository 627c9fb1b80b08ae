import { expect, test } from 'vitest';
import { assertCodeFits, assertImageFits, assertVersionFits } from './install-lock-fit.js';

const image = 'registry.example.com/team/tool';
const sha256 = 'a'.repeat(64);

test('a lock chooses among what the manifest allows', () => {
  assertVersionFits('npm', '^1.2.0', '1.4.0');
  assertVersionFits('npm', 'latest', '9.0.0');
  assertVersionFits('pip', '>=1.4,<2', '1.9');
  assertVersionFits('pip', '', '7.0');
  assertImageFits(image, `${image}@sha256:${sha256}`);
  const git = { kind: 'git', url: 'https://git.example.com/a', revision: 'v1' } as const;
  assertCodeFits(git, { ...git, commit: 'b'.repeat(40) });
  assertCodeFits(git, undefined);
});

test.each<[string, () => void]>([
  ['a version outside the range', () => assertVersionFits('npm', '^1.2.0', '2.0.0')],
  ['text that is not a version', () => assertVersionFits('npm', 'latest', '--registry=x')],
  ['a Python version outside the range', () => assertVersionFits('pip', '>=1.4,<2', '2.1')],
  ['no Python version', () => assertVersionFits('pip', '', '../x')],
  ['another image', () => assertImageFits(image, `registry.example.com/evil/tool@sha256:${sha256}`)],
  ['an image without a digest', () => assertImageFits(image, image)],
  [
    'code from another place',
    () =>
      assertCodeFits(
        { kind: 'https', url: 'https://example.com/a.zip', sha256 },
        { kind: 'https', url: 'https://evil.example.com/a.zip', sha256 },
      ),
  ],
  [
    'another folder of a repository',
    () =>
      assertCodeFits(
        { kind: 'git', url: 'https://git.example.com/a', revision: 'v1' },
        {
          kind: 'git',
          url: 'https://git.example.com/a',
          revision: 'v1',
          subfolder: 'x',
          commit: 'b'.repeat(40),
        },
      ),
  ],
])('a lock with %s is rejected', (_, check) => {
  expect(check).toThrow('the lock has');
});
