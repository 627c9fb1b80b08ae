import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line that scripts can read. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (
        module.state() === 'failed' &&
        [...module.children.allTests()].every((it) => it.result().state !== 'failed')
      )
        counts.failed++;
      for (const test of module.children.allTests()) counts[test.result().state]++;
    }
    const failed = counts.failed + errors.length;
    process.stdout.write(
      `\n${counts.passed} passed, ${failed} failed, ${counts.skipped + counts.pending} skipped\n`,
    );
  }
}
