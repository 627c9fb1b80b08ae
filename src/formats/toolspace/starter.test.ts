import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseText } from '../../../test/support/toolspace-sample.js';
import { starter } from './starter.js';

const names: readonly (readonly [string, string])[] = [
  ['word-count', 'word-count'],
  ['My Tool!', 'my-tool'],
  ['x', 'x-tool'],
  ['', 'tool'],
  ['Ünïcode', 'n-code'],
  ['__proto__', 'proto'],
  ['a-'.repeat(60), 'a-'.repeat(32).slice(0, -1)],
];

test.each(names)('a new package named %j has no diagnostics and the id %s', (name, id) => {
  const manifest = starter(name).find((it) => it.path === 'toolspace.json');
  const { package: pkg, diagnostics } = parseText(manifest?.text ?? '');
  expect(diagnostics).toEqual([]);
  expect(pkg?.id).toBe(id);
});

test('the program prints the output of its example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolspace-starter-'));
  try {
    const files = starter('word-count');
    for (const { path, text } of files) writeFileSync(join(folder, path), text);
    const manifest = JSON.parse(files[0]?.text ?? '');
    const [{ examples }] = manifest.actions;
    const run = spawnSync(process.execPath, ['cli.mjs', 'measure'], {
      cwd: folder,
      input: JSON.stringify(examples[0].input),
      encoding: 'utf8',
      env: {},
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual(examples[0].output);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
