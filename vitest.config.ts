import { defineConfig } from 'vitest/config';
import { PromiseReporter } from './test/promise-reporter.js';
import { SummaryReporter } from './test/summary-reporter.js';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new PromiseReporter(process.env.TOOLPORT_PROMISES), new SummaryReporter()],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
