import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PromiseReporter } from './test/promise-reporter.js';
import { SummaryReporter } from './test/summary-reporter.js';

const patience = { testTimeout: 30_000, hookTimeout: 60_000 };

/** One run, and one report over all of it: what touches nothing outside itself first, side by side; then the rest. */
export default defineConfig({
  test: {
    reporters: ['default', new PromiseReporter(process.env.TOOLPORT_PROMISES), new SummaryReporter()],
    projects: [
      {
        test: {
          ...patience,
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/architecture.test.ts'],
          // They share modules: loading them anew for each file takes longer than most of the tests.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...patience,
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: ['test/architecture.test.ts'],
          // They start programs, fill the machine and measure time, so no two at once.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
