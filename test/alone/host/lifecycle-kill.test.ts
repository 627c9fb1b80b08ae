// A host that is killed at random instants while it changes an installation. `npm run bench:kill` does it for longer.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const bench = join(import.meta.dirname, '../../../bench/lifecycle-kill.mjs');

test.each([
  ['', ['--plain', '--count', '8']],
  [', with language packages', ['--wheels', '--count', '4']],
])(
  'kill -9 during install, update, rollback, remove or revoke leaves the old or the new state, and nothing else%s',
  async (_, options) => {
    const seed = process.env.TOOLWHARF_SEED ?? String(Date.now() % 2 ** 32);
    const args = [bench, ...options, '--seed', seed];
    const run = await promisify(execFile)(process.execPath, args).catch((error) => error);
    // The output names the seed, the rounds and what is wrong.
    expect(run.stdout).toMatch(/^0 problems; /m);
  },
  180_000,
);
