// The manual page of the build.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../../src/formats/built-in-formats.js';
import { commands } from '../../../../src/serve/cli/command/commands.js';

const root = join(import.meta.dirname, '../../../..');
const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { man: [string] };
const page = join(root, man[0]);
const shown = commands.filter((it) => !it.hidden);

test('has every command with all its options', async () => {
  const text = readFileSync(page, 'utf8')
    .replaceAll('\\-', '-')
    .replaceAll('\\fR', '')
    .replaceAll('\\fB', '');
  for (const entry of shown) {
    const { name, options } = await entry.load(async () => builtInFormats);
    const from = text.indexOf(`\n.SS ${name}\n`);
    expect(from, name).toBeGreaterThan(0);
    const end = text.indexOf('\n.S', from + 1);
    for (const it of options) expect(text.slice(from, end)).toContain(`--${it.name}`);
  }
});

test('no line is a request by accident', () => {
  const requests = readFileSync(page, 'utf8').match(/^[.'][^\s]*/gm) ?? [];
  expect([...new Set(requests)].sort()).toEqual(
    ['.B', '.I', '.PP', '.RI', '.SH', '.SS', '.TH', '.TP', '.ad', '.nh'].sort(),
  );
});

describe.skipIf(!existsSync('/usr/bin/mandoc'))('is valid (needs mandoc)', () => {
  test('for mandoc, except that it has no date', () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', page], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((it) => it !== '' && !it.includes('missing date'))).toEqual([]);
  });

  test('and shows what people copy as it is written', () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'utf8', '-O', 'width=300', page], { encoding: 'utf8' });
    // Bold is written as a character, a backspace and the character again.
    const plain = stdout.replace(/.\u0008/g, '');
    expect(plain).toContain(`toolwharf call ./word_count.py '{"text":"a b"}'`);
    expect(plain).toContain('toolwharf completion fish > ~/.config/fish/completions/toolwharf.fish');
  });
});
