import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/summary-reporter.js';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new SummaryReporter()],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real processes on a busy machine: one more try, and the summary names what needed it.
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
