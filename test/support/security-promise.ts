import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

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

/** The tests of one file: how many passed and failed, and what the others need. */
export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  /** What its skipped tests need, or the whole file if it did not run. Empty: everything ran. */
  readonly needs: readonly string[];
}

/** Results by the path of the file. */
export type FileResults = ReadonlyMap<string, FileResult>;

export function readPromises(): readonly SecurityPromise[] {
  return JSON.parse(readFileSync(join(root, 'docs/promises.json'), 'utf8'));
}

/** Files that the patterns name, in order. */
export function filesOf(patterns: readonly string[], results: FileResults): string[] {
  const expressions = patterns.map((it) => new RegExp(`^${it.split('*').map(quoted).join('[^/]*')}$`));
  return [...results.keys()].filter((file) => expressions.some((it) => it.test(file))).sort();
}

function quoted(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/** Why a promise is not kept. Empty: it is, as far as it could be checked. */
export function problemsOf(it: SecurityPromise, results: FileResults): string[] {
  if (it.tests.length === 0) return it.alsoCheckedBy === undefined ? [`"${it.title}" names no test`] : [];
  const idle = it.tests.filter((pattern) => filesOf([pattern], results).length === 0);
  const files = filesOf(it.tests, results);
  const failed = files.filter((file) => (results.get(file)?.failed ?? 0) > 0);
  const isChecked = files.some((file) => (results.get(file)?.passed ?? 0) > 0);
  return [
    ...idle.map((pattern) => `"${it.title}" names ${pattern}, and no such test ran`),
    ...failed.map((file) => `"${it.title}" is not kept: ${file} failed`),
    ...(isChecked || uncheckedIn(it, results).length > 0
      ? []
      : [`"${it.title}" is not kept: none of its tests passed`]),
  ];
}

/** What could not be checked here: the files with what they need. */
export function uncheckedIn(it: SecurityPromise, results: FileResults): string[] {
  return filesOf(it.tests, results).flatMap((file) => {
    const needs = [...new Set(results.get(file)?.needs ?? [])].filter((need) => need !== '');
    return needs.length === 0 ? [] : [`${file} needs ${needs.join(' and ')}`];
  });
}
