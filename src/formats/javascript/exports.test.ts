import { describe, expect, test } from 'vitest';
import { readExports } from './exports.js';
import { parseScript } from './script.js';

/** `name`: a function. `name!`: not a function. `name?`: unknown. `…`: there are unresolved exports. */
function exportsOf(text: string, language: 'javascript' | 'typescript' = 'javascript'): string {
  const script = parseScript(text, language);
  if (script.kind !== 'program') throw new Error(JSON.stringify(script));
  const found = readExports(script.program);
  const marks = { yes: '', no: '!', unknown: '?' } as const;
  const format = (members: Iterable<[string, { callable: keyof typeof marks }]>) =>
    [...members].map(([name, it]) => name + marks[it.callable]).join(' ');
  return [
    format(found.named),
    ...(found.handlers === undefined ? [] : [`handlers{${format(found.handlers.members)}}`]),
    ...(found.defaultTable === undefined ? [] : [`default{${format(found.defaultTable.members)}}`]),
    ...(found.unresolved.length === 0 ? [] : ['…']),
  ]
    .filter((it) => it !== '')
    .join(' ');
}

describe('named exports are read', () => {
  test.each([
    ['export function a() {}', 'a'],
    ['export async function a() {}', 'a'],
    ['export function* a() {}', 'a'],
    ['export const a = () => 1, b = function () {}, c = 1;', 'a b c!'],
    ['export let a; a = () => 1;', 'a?'],
    ['export var a = () => 1;', 'a?'],
    ['export class A {}', 'A!'],
    ['function a() {} export { a, a as b };', 'a b'],
    ['const a = 5; export { a as b };', 'b!'],
    ["function a() {} export { a as 'x-y' };", 'x-y'],
    ["export { a, default as b } from './x.js';", 'a? b?'],
    ["import { a } from './x.js'; export { a };", 'a?'],
    ["import * as x from './x.js'; export const a = x.a;", 'a?'],
    ['const a = () => 1; const b = a; export { b as c };', 'c'],
    ['const a = b; const b = a; export { a };', 'a?'],
    ['export const { a, b: { c }, ...d } = x, [e, , f = 1] = y;', 'e? a? d? f? c?'],
    ["export * from './x.js';", '…'],
    ["export * as a from './x.js';", 'a!'],
    ["export * as handlers from './x.js';", 'handlers! …'],
    ['export default function a() {}', 'default'],
    ['export default class {}', 'default!'],
    ['export const a = (() => 1)();', 'a?'],
    ['#!/usr/bin/env node\nexport const a = async () => await 1; await a();', 'a'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(exportsOf(text)).toBe(expected);
  });
});

describe('handler tables are read', () => {
  test.each([
    [
      'export const handlers = { a() {}, async b() {}, c: () => 1, d: 1, e, f: x() };',
      'handlers! handlers{a b c d! e? f?}',
    ],
    ["export const handlers = { 'x-y': () => 1, ['z']: () => 1, 7() {} };", 'handlers! handlers{x-y z 7}'],
    ['export const handlers = { [k]: () => 1 };', 'handlers! handlers{} …'],
    ['export const handlers = { ...x, a() {} };', 'handlers! handlers{a} …'],
    ['const h = { a() {} }; export { h as handlers };', 'handlers! handlers{a}'],
    ['const h = {}; h.a = () => 1; h["b"] = 1; export { h as handlers };', 'handlers! handlers{a b!}'],
    ['const h = {}; h[k] = () => 1; export { h as handlers };', 'handlers! handlers{} …'],
    ['const h = {}; if (x) h.a = () => 1; export { h as handlers };', 'handlers! handlers{} …'],
    ['const h = {}; Object.assign(h, x); export { h as handlers };', 'handlers! handlers{} …'],
    ['const h = {}; function add(k, v) { h[k] = v; } export { h as handlers };', 'handlers! handlers{} …'],
    ['const h = {}; [h.a] = [() => 1]; export { h as handlers };', 'handlers! handlers{} …'],
    [
      'const h = { a() {} }; export function b() { return h.a(); } export { h as handlers };',
      'b handlers! handlers{a}',
    ],
    ['let h = { a() {} }; export { h as handlers };', 'handlers? …'],
    ['export const handlers = Object.freeze({ a() {} });', 'handlers? handlers{a}'],
    ['export const handlers = make({ a() {} });', 'handlers? …'],
    ['export function handlers() {}', 'handlers'],
    ["import { handlers } from './x.js'; export { handlers };", 'handlers? …'],
    ['export default { a() {} };', 'default! default{a}'],
    ['const t = { a() {} }; export default t;', 'default! default{a}'],
    ['export default make();', 'default? …'],
  ])('%s', (text, expected) => {
    expect(exportsOf(text)).toBe(expected);
  });
});

describe('CommonJS exports are read', () => {
  test.each([
    ['exports.a = () => 1; exports.b = 1;', 'a b!'],
    ['module.exports.a = function () {};', 'a'],
    ['module.exports = { a() {}, b: 1 };', 'default{a b!}'],
    ['const t = { a() {} }; module.exports = t;', 'default{a} …'],
    ['module.exports = { handlers: { a() {} } };', 'handlers! handlers{a} default{handlers!}'],
    ['exports.handlers = { a() {} };', 'handlers! handlers{a}'],
    ['Object.defineProperty(exports, "a", { value: 1 });', '…'],
    ['Object.assign(module.exports, x);', '…'],
    ['const e = module.exports; e.a = () => 1;', '…'],
    ['const e = exports; e.a = () => 1;', '…'],
    ['module.exports.a = module.exports.b = () => 1;', 'a? …'],
    ['module.exports = make();', '…'],
    ['with (x) { y } exports.a = () => 1;', 'a'],
  ])('%s', (text, expected) => {
    expect(exportsOf(text)).toBe(expected);
  });
});

describe('TypeScript exports are read', () => {
  test.each([
    ['export async function a(x: { y: string }, c?: C): Promise<void> {}', 'a'],
    ['export const a = async <T,>(x: T): Promise<T> => x;', 'a'],
    ['export type a = 1; export interface b {}', ''],
    ['type T = 1; export { type T, };', ''],
    ["export type { a } from './x.js';", ''],
    ['export const handlers = { a() {} } satisfies Record<string, unknown>;', 'handlers! handlers{a}'],
    ['export const handlers = { a() {} } as const;', 'handlers! handlers{a}'],
    ['export enum E { A }', 'E?'],
    ['export function a(x: string): void;\nexport function a(x: unknown): void {}', 'a'],
    ['export abstract class A {}', 'A!'],
    ['declare const x: number; export const a = () => x!;', 'a'],
  ])('%s', (text, expected) => {
    expect(exportsOf(text, 'typescript')).toBe(expected);
  });
});
