// The bench for the scanner reads any folder with files of the same names, and prints numbers without their cases.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/toolwharf.js';

const bench = join(import.meta.dirname, '../../../bench/trust.mjs');

test('bench:trust --data DIR --json measures the files of a folder and shows none of their cases', async () => {
  const folder = temporaryFolder({});
  try {
    const key = `gh${'p_'}${['A1b2C3d4E5f6', 'G7h8I9j0K1l2', 'M3n4O5p6Q7r8'].join('')}`;
    writeFileSync(
      join(folder.path, 'gitleaks-literal-cases.json'),
      JSON.stringify([
        { rule: 'one-rule', kind: 'tps', text: key },
        { rule: 'another-rule', kind: 'tps', text: 'nothing to find' },
        { rule: 'one-rule', kind: 'fps', text: 'trello_board_id: 5f1d7a0c9b8e4d3c2b1a0f9e' },
      ]),
    );
    const args = [bench, '--data', folder.path, '--json', '--exits', '20', '--rounds', '1'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report.shapes).toMatchObject({ positives: 2, found: 1, negatives: 1, taken: 0 });
    expect(report.personal).toBeUndefined();
    expect(report.generated).toHaveProperty('ordinary answers unchanged');
    expect(stdout).not.toContain('another-rule');
  } finally {
    folder.remove();
  }
}, 120_000);
