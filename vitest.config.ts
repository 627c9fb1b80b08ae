import { execFileSync } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isRoot } from './test/support/not-run.js';
import { PromiseReporter } from './test/support/promise-reporter.js';
import { SummaryReporter } from './test/support/summary-reporter.js';

/** Set for whole runs: whether the promises of SECURITY.md are checked or written. */
const promises = process.env.TOOLWHARF_PROMISES;

const common = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // A busy machine may need longer for what is polled than the usual second.
  expect: { poll: { timeout: 10_000 } },
  env: {
    // Commands keep an anchor of each audit log in the user's data folder. Tests must not fill the real one.
    XDG_DATA_HOME: join(tmpdir(), `toolwharf-test-data-${process.getuid?.() ?? 0}`),
    // Tests start the script directly, and expect hints as an installed command prints them.
    TOOLWHARF_COMMAND: 'toolwharf',
    // For property tests, see `test/support/property-seed.ts`.
    ...(process.env.CI === 'true' ? { TOOLWHARF_SEED: seedOfCommit() } : {}),
  },
};

const rootProject = {
  test: {
    ...common,
    name: 'root',
    include: ['test/root/**/*.test.ts'],
    maxWorkers: 1,
    sequence: { groupOrder: 3 },
  },
};

/**
 * One run, and one report over all of it. The folder of a test says how it runs, and the folders run one after the other:
 *
 * - `src` and `test/unit` touch nothing outside themselves.
 * - `test/parallel` only reads, or starts programs and waits for their answers. Two files run at once and share modules.
 * - `test/alone` fills the machine, ends programs or measures time. One file runs at a time.
 * - `test/root` needs root or containers. Other users do not run it; a whole run lists what was left out.
 */
export default defineConfig({
  test: {
    reporters: [
      'default',
      new PromiseReporter(promises),
      new SummaryReporter({ whole: promises !== undefined, countsFile: process.env.TOOLWHARF_COUNTS }),
    ],
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/unit/**/*.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          // They share modules: loading them anew for each file takes longer than most of the tests.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'parallel',
          include: ['test/parallel/**/*.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'alone',
          include: ['test/alone/**/*.test.ts'],
          setupFiles: ['test/support/property-seed.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      ...(isRoot ? [rootProject] : []),
    ],
  },
});

function seedOfCommit(): string {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  return String(Number.parseInt(commit.slice(0, 7), 16));
}
