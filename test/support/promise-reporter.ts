import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** One promise of SECURITY.md, from docs/promises.json. */
export interface SecurityPromise {
  /** Heading under which SECURITY.md lists it. */
  readonly group: string;
  readonly title: string;
  readonly promise: string;
  /** Test files that check it; `*` stands for any part of a name. Empty only if `alsoCheckedBy` says why. */
  readonly tests: readonly string[];
  readonly alsoCheckedBy?: string;
  /** What the promise does not cover; empty if no exception is known. */
  readonly notProtected: string;
}

interface FileCount {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const root = join(import.meta.dirname, '../..');
const begin = '<!-- promises: written by the test run, from docs/promises.json -->';
const end = '<!-- end of promises -->';

export function readPromises(): readonly SecurityPromise[] {
  return JSON.parse(readFileSync(join(root, 'docs/promises.json'), 'utf8'));
}

/** Compares every promise of SECURITY.md with the tests that just ran, and writes its sections on request. */
export class PromiseReporter implements Reporter {
  readonly #mode: 'check' | 'write' | undefined;

  constructor(mode: string | undefined) {
    this.#mode = mode === 'check' || mode === 'write' ? mode : undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#mode === undefined) return;
    const counts = new Map(modules.map((it) => [relative(root, it.moduleId), countOf(it)]));
    const promises = readPromises();
    const problems = promises.flatMap((it) => problemsOf(it, counts));
    for (const line of problems) process.stdout.write(`\n${line}`);
    if (problems.length > 0) {
      process.stdout.write('\n');
      process.exitCode = 1;
      return;
    }
    const files = new Set(promises.flatMap((it) => filesOf(it, counts)));
    const checks = [...files].reduce((sum, file) => sum + (counts.get(file)?.passed ?? 0), 0);
    process.stdout.write(`\n${promises.length} promises of SECURITY.md kept, by ${checks} checks\n`);
    if (this.#mode === 'write') {
      const path = join(root, 'SECURITY.md');
      writeFileSync(path, withSections(readFileSync(path, 'utf8'), sectionsOf(promises, counts)));
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

function problemsOf(it: SecurityPromise, counts: ReadonlyMap<string, FileCount>): string[] {
  if (it.tests.length === 0) return it.alsoCheckedBy === undefined ? [`"${it.title}" names no test`] : [];
  const idle = it.tests.filter((pattern) => filesOf({ ...it, tests: [pattern] }, counts).length === 0);
  const files = filesOf(it, counts);
  const failed = files.filter((file) => (counts.get(file)?.failed ?? 0) > 0);
  const passed = files.some((file) => (counts.get(file)?.passed ?? 0) > 0);
  return [
    ...idle.map((pattern) => `"${it.title}" names ${pattern}, and no such test ran`),
    ...failed.map((file) => `"${it.title}" is not kept: ${file} failed`),
    ...(passed ? [] : [`"${it.title}" is not kept: none of its tests passed`]),
  ];
}

/** One section per promise, grouped; the number behind a file is how many of its checks passed. */
function sectionsOf(promises: readonly SecurityPromise[], counts: ReadonlyMap<string, FileCount>): string {
  const lines: string[] = [];
  let group = '';
  for (const it of promises) {
    if (it.group !== group) lines.push(`## ${it.group}`, '');
    group = it.group;
    const checkedBy = it.tests.map((pattern) => {
      const files = filesOf({ ...it, tests: [pattern] }, counts);
      const checks = files.reduce((sum, file) => sum + (counts.get(file)?.passed ?? 0), 0);
      return `\`${pattern}\` (${checks})`;
    });
    if (it.alsoCheckedBy !== undefined) checkedBy.push(it.alsoCheckedBy);
    lines.push(`### ${it.title}`, '', it.promise, '');
    if (it.notProtected !== '') lines.push(`*Not protected:* ${it.notProtected}`, '');
    lines.push(`*Checked by:* ${checkedBy.join(', ')}`, '');
  }
  return lines.join('\n').trimEnd();
}

export function withSections(text: string, sections: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1)
    throw new Error('SECURITY.md does not contain the markers around its promises');
  return `${text.slice(0, from)}${begin}\n\n${sections}\n\n${text.slice(to)}`;
}
