import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { PromiseReporter } from './test/promise-reporter.js';
import { SummaryReporter } from './test/summary-reporter.js';

const patience = { testTimeout: 30_000, hookTimeout: 60_000 };

const unit = ['src/**/*.test.ts', 'test/architecture.test.ts', 'test/one-folder-per-format.test.ts'];

/**
 * Files that only read, or that start programs and wait for nothing but their answers. They run two at once and share
 * modules, so none of them may hold something to a time on the clock, fill the machine, or look for processes that are not its own.
 */
const beside = [
  'test/{bounds,contracts,toolspace,conformance,scan}/*.test.ts',
  'test/attacks/audience-*.test.ts',
  'test/attacks/approvals-{agent,changed,expired,flood,hidden,no,other,pin,replay,rule,socket}*.test.ts',
  'test/attacks/{audit-mutation,denied-bus,leak-exits,look-alike,pin-reset,planted-values,program-words}.test.ts',
  'test/attacks/{sandbox,slashed-names,token-names}.test.ts',
  'test/actions-{compose,credentials,exec,function,http}.test.ts',
  'test/{audit-command,broker,commands,container-install,config,connect,discover,docs,doctor,dry-run,egress,environments}.test.ts',
  'test/{examples,examples-run,export,failures-command,failures-files,first-steps,fixtures,grants,guesses,hostile}.test.ts',
  'test/{http-api,http-approvals,http-attention,http-doors,http-mcp,http-oidc,http-serve,launch,limits}.test.ts',
  'test/mcp-{client,gateway,holds,lists,oracle,remote-credential,shim,stock,stock-install,upstream}.test.ts',
  'test/nexo-{contract,examples,host,http,interpreters}.test.ts',
  'test/{operator-commands,package,patch-tools,pin-command,agreement-mutants,policy,prompts}.test.ts',
  'test/{sealed-arguments,secrets,thread,vault,vault-keys,worker-script}.test.ts',
];

/** One run, and one report over all of it: what touches nothing outside itself first, side by side; then the rest. */
export default defineConfig({
  test: {
    reporters: ['default', new PromiseReporter(process.env.TOOLWHARF_PROMISES), new SummaryReporter()],
    projects: [
      {
        test: {
          ...patience,
          name: 'unit',
          include: unit,
          // They share modules: loading them anew for each file takes longer than most of the tests.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...patience,
          name: 'beside',
          include: beside,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...patience,
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...beside],
          // They fill the machine, end programs and measure time, so no two at once.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
