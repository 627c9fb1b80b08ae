import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** What SECURITY.md promises. `tests`: files, with `*` for any part of a name; none where the reason is in `held`. */
export interface SecurityPromise {
  readonly promise: string;
  readonly tests: readonly string[];
  readonly held?: string;
  readonly notStopped: string;
}

interface FileCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = join(import.meta.dirname, '..');
const begin = '<!-- promises: written by the test run, from docs/promises.json -->';
const end = '<!-- end of promises -->';

export function readPromises(): readonly SecurityPromise[] {
  return JSON.parse(readFileSync(join(root, 'docs/promises.json'), 'utf8'));
}

/** Holds every promise of SECURITY.md to the tests that just ran, and writes its table when asked to. */
export class PromiseReporter implements Reporter {
  readonly #mode: 'check' | 'write' | undefined;

  constructor(mode: string | undefined) {
    this.#mode = mode === 'check' || mode === 'write' ? mode : undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#mode === undefined) return;
    const counts = new Map(modules.map((it) => [relative(root, it.moduleId), countOf(it)]));
    const promises = readPromises();
    const broken = promises.flatMap((it) => brokenBy(it, counts));
    for (const line of broken) process.stdout.write(`\n${line}`);
    if (broken.length > 0) {
      process.stdout.write('\n');
      process.exitCode = 1;
      return;
    }
    const files = new Set(promises.flatMap((it) => filesOf(it, counts)));
    const checks = [...files].reduce((sum, file) => sum + (counts.get(file)?.passed ?? 0), 0);
    process.stdout.write(`\n${promises.length} promises of SECURITY.md held by ${checks} checks\n`);
    if (this.#mode === 'write') {
      const path = join(root, 'SECURITY.md');
      writeFileSync(path, withTable(readFileSync(path, 'utf8'), tableOf(promises, counts)));
    }
  }
}

function countOf(module: TestModule): FileCount {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  for (const test of module.children.allTests()) counts[test.result().state]++;
  const dead = module.state() === 'failed' && counts.failed === 0 ? 1 : 0;
  return { passed: counts.passed, failed: counts.failed + dead, skipped: counts.skipped + counts.pending };
}

function filesOf({ tests }: SecurityPromise, counts: ReadonlyMap<string, FileCount>): string[] {
  const patterns = tests.map((it) => new RegExp(`^${it.split('*').map(quoted).join('[^/]*')}$`));
  return [...counts.keys()].filter((file) => patterns.some((it) => it.test(file))).sort();
}

function quoted(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

function brokenBy(it: SecurityPromise, counts: ReadonlyMap<string, FileCount>): string[] {
  if (it.tests.length === 0) return it.held === undefined ? [`nothing holds "${it.promise}"`] : [];
  const idle = it.tests.filter((pattern) => filesOf({ ...it, tests: [pattern] }, counts).length === 0);
  const files = filesOf(it, counts);
  const failed = files.filter((file) => (counts.get(file)?.failed ?? 0) > 0);
  const passed = files.some((file) => (counts.get(file)?.passed ?? 0) > 0);
  return [
    ...idle.map((pattern) => `"${it.promise}" names ${pattern}, and no such test ran`),
    ...failed.map((file) => `"${it.promise}" is not held: ${file} failed`),
    ...(passed ? [] : [`"${it.promise}" is not held: no test of it passed`]),
  ];
}

function tableOf(promises: readonly SecurityPromise[], counts: ReadonlyMap<string, FileCount>): string {
  const rows = promises.map((it) => {
    const held = it.tests.map((pattern) => {
      const files = filesOf({ ...it, tests: [pattern] }, counts);
      const checks = files.reduce((sum, file) => sum + (counts.get(file)?.passed ?? 0), 0);
      return `\`${pattern}\` (${checks})`;
    });
    return `| ${it.promise} | ${[...held, ...(it.held === undefined ? [] : [it.held])].join(', ')} | ${it.notStopped} |`;
  });
  return ['| promise | held by (checks that passed) | not stopped |', '| --- | --- | --- |', ...rows].join(
    '\n',
  );
}

export function withTable(text: string, table: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error('SECURITY.md has lost the place of its table');
  return `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`;
}
