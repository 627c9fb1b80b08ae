import { dirname, join } from 'node:path';
import { testsFolder } from '../../../bundle/folder.js';
import { replaceFile } from '../../../files/atomic-file.js';
import { makeFolder } from '../../../files/make-folder.js';
import { parseJson } from '../../../formats/document/json.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { Terminal } from '../terminal/terminal.js';
import { isIgnorePattern, savedAnswer } from './answer-difference.js';

/** One call with the answer that is expected. */
export interface SavedCase {
  readonly name: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Which example of the tool in the manifest it is, counted from 1. Its arguments and answer are those of the example. */
  readonly example?: number;
  /** The expected result. Neither `answer` nor `error`: not saved yet. */
  readonly answer?: Json;
  /** The code of the expected error. */
  readonly error?: string;
  /** Parts of the answer that are not compared. */
  readonly ignore: readonly string[];
  /** The author approves this call of their own package, in this run only. */
  readonly approve: boolean;
  /** Why it is not run. */
  readonly skip?: string;
}

/** A value for the tests, and the hosts that may receive it. */
export interface CaseValue {
  readonly value: string;
  readonly hosts: readonly string[];
}

/** The saved cases of one package. */
export interface CasesFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, CaseValue>;
  readonly cases: readonly SavedCase[];
  /** The line of a case, for annotations. */
  lineOf(index: number): number;
  /** The document as it was read, for writing it again. */
  readonly document: JsonObject;
}

/** What a call answered, to be saved. */
export type Outcome = { readonly answer: Json } | { readonly error: string };

const schema = 'toolwharf/cases@1';
const caseKeys = ['name', 'tool', 'arguments', 'example', 'answer', 'error', 'ignore', 'approve', 'skip'];

/** Beside the manifest, one file per package: it is not part of the package. */
export function casesPath(manifest: string, packageId: string): string {
  return join(dirname(manifest), testsFolder, `${packageId.replace(/[^\w.-]/g, '_')}.json`);
}

/** The files that a test finds in its workspace. */
export function workspaceFiles(manifest: string): string {
  return join(dirname(manifest), testsFolder, 'workspace');
}

/** Undefined if the package has no saved cases. */
export function readCases(path: string, terminal: Pick<Terminal, 'readFile'>): CasesFile | undefined {
  const text = terminal.readFile(path);
  if (text === undefined) return undefined;
  const { value, problems, locate } = parseJson(text);
  const fail = (message: string, at: readonly (string | number)[] = []) =>
    new HostError('usage', `${path}:${locate(at).line}: ${message}`, {
      hint: 'docs/commands.md describes the file',
    });
  const [problem] = problems;
  if (problem !== undefined) throw fail(problem.message);
  if (!isObject(value) || value.schema !== schema) throw fail(`"schema" must be "${schema}"`);
  const unknown = Object.keys(value).find((it) => !['schema', 'values', 'cases'].includes(it));
  if (unknown !== undefined) throw fail(`unknown member ${JSON.stringify(unknown)}`, [unknown]);
  if (!Array.isArray(value.cases)) throw fail('"cases" must be a list');
  return {
    path,
    values: valuesOf(value.values, (message) => fail(message, ['values'])),
    cases: value.cases.map((it: Json, at: number) =>
      caseOf(it, (message, key) => fail(message, ['cases', at, ...(key === undefined ? [] : [key])])),
    ),
    lineOf: (index) => locate(['cases', index]).line,
    document: value,
  };
}

function valuesOf(
  values: Json | undefined,
  fail: (message: string) => HostError,
): ReadonlyMap<string, CaseValue> {
  if (values === undefined) return new Map();
  if (!isObject(values)) throw fail('"values" must be an object');
  return new Map(
    Object.entries(values).map(([name, it]) => {
      if (typeof it === 'string') return [name, { value: it, hosts: [] }];
      const hosts = isObject(it) ? (it.hosts ?? []) : undefined;
      if (!isObject(it) || typeof it.value !== 'string' || !isTexts(hosts))
        throw fail(`the value of ${name} must be a text, or {"value": …, "hosts": […]}`);
      return [name, { value: it.value, hosts }];
    }),
  );
}

function caseOf(it: Json, fail: (message: string, key?: string) => HostError): SavedCase {
  if (!isObject(it)) throw fail('a case must be an object');
  const unknown = Object.keys(it).find((key) => !caseKeys.includes(key));
  if (unknown !== undefined)
    throw fail(`unknown member ${JSON.stringify(unknown)}; a case has ${caseKeys.join(', ')}`, unknown);
  const { name, tool, arguments: args = {}, example, answer, error, ignore = [], approve = false, skip } = it;
  if (typeof tool !== 'string' || tool === '') throw fail('"tool" must name a tool of the package', 'tool');
  if (name !== undefined && typeof name !== 'string') throw fail('"name" must be a text', 'name');
  if (!isObject(args)) throw fail('"arguments" must be an object', 'arguments');
  if (example !== undefined && (typeof example !== 'number' || !Number.isInteger(example) || example < 1))
    throw fail('"example" must be the number of an example of the manifest, from 1', 'example');
  if (example !== undefined && (it.arguments !== undefined || answer !== undefined || error !== undefined))
    throw fail('an example has its arguments and answer in the manifest', 'example');
  if (answer !== undefined && error !== undefined)
    throw fail('expect an answer or an error, not both', 'error');
  if (error !== undefined && typeof error !== 'string') throw fail('"error" must be an error code', 'error');
  if (!isTexts(ignore) || !ignore.every(isIgnorePattern))
    throw fail('"ignore" must be a list of JSON pointers such as "/items/*/id"', 'ignore');
  if (skip !== undefined && (typeof skip !== 'string' || skip === ''))
    throw fail('"skip" must say why the case is not run', 'skip');
  if (typeof approve !== 'boolean') throw fail('"approve" must be true or false', 'approve');
  return {
    name: name ?? `${tool} ${example === undefined ? JSON.stringify(args) : `example ${example}`}`,
    tool,
    arguments: args,
    ...(example === undefined ? {} : { example }),
    ...(answer === undefined ? {} : { answer }),
    ...(error === undefined ? {} : { error }),
    ignore,
    approve,
    ...(skip === undefined ? {} : { skip }),
  };
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((it) => typeof it === 'string');
}

/** Replaces what cases expect. `outcomes`: by the number of the case. */
export function updateCases(file: CasesFile, outcomes: ReadonlyMap<number, Outcome>): void {
  const cases = (file.document.cases as readonly JsonObject[]).map((it, at) => {
    const outcome = outcomes.get(at);
    if (outcome === undefined) return it;
    const { answer: _answer, error: _error, ...rest } = it;
    return { ...rest, ...withoutVolatile(outcome, file.cases[at]?.ignore ?? []) };
  });
  write(file.path, { ...file.document, cases });
}

/** Adds a case, or replaces the one with the same name. */
export function saveCase(
  path: string,
  saved: Omit<SavedCase, 'answer' | 'error' | 'ignore'>,
  outcome: Outcome,
  terminal: Pick<Terminal, 'readFile'>,
): void {
  const file = readCases(path, terminal);
  const at = file?.cases.findIndex((it) => it.name === saved.name) ?? -1;
  const ignore = file?.cases[at]?.ignore ?? [];
  const { name, tool, arguments: args, approve } = saved;
  const entry = {
    ...{ name, tool, arguments: args },
    ...withoutVolatile(outcome, ignore),
    ...(ignore.length === 0 ? {} : { ignore }),
    ...(approve ? { approve } : {}),
  };
  const before = (file?.document.cases ?? []) as readonly Json[];
  const cases = at === -1 ? [...before, entry] : before.with(at, entry);
  write(path, { ...(file?.document ?? { schema }), cases });
}

function withoutVolatile(outcome: Outcome, ignore: readonly string[]): JsonObject {
  return 'answer' in outcome ? { answer: savedAnswer(outcome.answer, ignore) } : { error: outcome.error };
}

function write(path: string, document: JsonObject): void {
  makeFolder(dirname(path), 0o777);
  replaceFile(path, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o666, flush: 'none' });
}
