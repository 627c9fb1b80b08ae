import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { isComplete, notRun } from './not-run.js';
import {
  type FileResult,
  type FileResults,
  filesOf,
  problemsOf,
  readPromises,
  type SecurityPromise,
  uncheckedIn,
} from './security-promise.js';

const root = join(import.meta.dirname, '../..');
const begin = '<!-- promises: written by the test run, from docs/promises.json -->';
const end = '<!-- end of promises -->';

/**
 * Compares every promise of SECURITY.md with the tests that just ran, and writes its sections on request. A promise
 * whose tests could not run here is not a broken promise: it is named with what its tests need.
 */
export class PromiseReporter implements Reporter {
  readonly #mode: 'check' | 'write' | undefined;

  constructor(mode: string | undefined) {
    this.#mode = mode === 'check' || mode === 'write' ? mode : undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#mode === undefined) return;
    const results = resultsOf(modules);
    const promises = readPromises();
    const problems = promises.flatMap((it) => problemsOf(it, results));
    const unchecked = promises
      .map((it) => ({ title: it.title, files: uncheckedIn(it, results) }))
      .filter((it) => it.files.length > 0);
    const kept = promises.length - unchecked.length;
    const lines = [...problems];
    if (problems.length === 0) {
      const files = filesOf(
        promises.flatMap((it) => it.tests),
        results,
      );
      const checks = files.reduce((sum, file) => sum + (results.get(file)?.passed ?? 0), 0);
      lines.push(`${kept} promises of SECURITY.md kept, by ${checks} checks`);
      if (unchecked.length > 0) lines.push(`${unchecked.length} could not be checked completely here:`);
      for (const { title, files } of unchecked) lines.push(`  "${title}": ${files.join(', ')}`);
    }
    process.stdout.write(`\n${lines.join('\n')}\n`);
    const isRefused = this.#mode === 'write' && unchecked.length > 0;
    if (isRefused) process.stdout.write('SECURITY.md was not written: run this where every test can run.\n');
    if (problems.length > 0 || isRefused || (isComplete && unchecked.length > 0)) process.exitCode = 1;
    else if (this.#mode === 'write') {
      const path = join(root, 'SECURITY.md');
      writeFileSync(path, withSections(readFileSync(path, 'utf8'), sectionsOf(promises, results)));
    }
  }
}

function resultsOf(modules: readonly TestModule[]): FileResults {
  const results = new Map<string, FileResult>();
  for (const module of modules) {
    const states = [...module.children.allTests()].map((it) => it.result().state);
    const failed = states.filter((it) => it === 'failed').length;
    results.set(module.relativeModuleId, {
      passed: states.filter((it) => it === 'passed').length,
      // A file whose set-up failed has no failed test.
      failed: module.state() === 'failed' ? Math.max(failed, 1) : failed,
      needs: [],
    });
  }
  for (const { file, needs } of notRun(root, modules)) {
    const before = results.get(file) ?? { passed: 0, failed: 0, needs: [] };
    results.set(file, { ...before, needs: [...before.needs, needs] });
  }
  return results;
}

/** One section per promise, grouped; the number behind a file is how many of its checks passed. */
function sectionsOf(promises: readonly SecurityPromise[], results: FileResults): string {
  const lines: string[] = [];
  let group = '';
  for (const it of promises) {
    if (it.group !== group) lines.push(`## ${it.group}`, '');
    group = it.group;
    const checkedBy = it.tests.map((pattern) => {
      const files = filesOf([pattern], results);
      const checks = files.reduce((sum, file) => sum + (results.get(file)?.passed ?? 0), 0);
      return `\`${pattern}\` (${checks})`;
    });
    if (it.alsoCheckedBy !== undefined) checkedBy.push(it.alsoCheckedBy);
    lines.push(`### ${it.title}`, '', it.promise, '');
    if (it.notProtected !== '') lines.push(`*Not protected:* ${it.notProtected}`, '');
    lines.push(`*Checked by:* ${checkedBy.join(', ')}`, '');
  }
  return lines.join('\n').trimEnd();
}

function withSections(text: string, sections: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1)
    throw new Error('SECURITY.md does not contain the markers around its promises');
  return `${text.slice(0, from)}${begin}\n\n${sections}\n\n${text.slice(to)}`;
}
