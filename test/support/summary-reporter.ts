import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { describeNotRun, isComplete, notRun } from './not-run.js';

const root = join(import.meta.dirname, '../..');

export interface SummaryOptions {
  /** The run is a whole one: it lists what did not run. */
  readonly whole: boolean;
  /** File that gets the counts of the run as a line of JSON. Undefined: they are printed. */
  readonly countsFile: string | undefined;
}

/** Ends a run with what was not run here and why, and with one plain line that scripts can read. */
export class SummaryReporter implements Reporter {
  readonly #options: SummaryOptions;

  constructor(options: SummaryOptions) {
    this.#options = options;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { whole, countsFile } = this.#options;
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      const states = [...module.children.allTests()].map((it) => it.result().state);
      for (const it of states) counts[it]++;
      if (module.state() === 'failed' && !states.includes('failed')) counts.failed++;
    }
    const left = whole ? notRun(root, modules) : [];
    process.stdout.write(describeNotRun(left));
    const isWrong = isComplete ? left.length > 0 : left.some((it) => it.needs === '');
    if (isWrong) {
      process.stdout.write(
        isComplete
          ? '\nAs root in CI, every test must run.\n'
          : '\nA test that is skipped must say what it needs.\n',
      );
      process.exitCode = 1;
    }
    const passed = counts.passed;
    const failed = counts.failed + errors.length;
    // A file that was left out counts once.
    const skipped = counts.skipped + counts.pending + left.filter((it) => it.title === '').length;
    if (countsFile === undefined)
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    else appendFileSync(countsFile, `${JSON.stringify({ passed, failed, skipped })}\n`);
  }
}
