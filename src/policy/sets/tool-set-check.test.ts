import { describe, expect, test } from 'vitest';
import { readToolSet } from './tool-set-check.js';

describe('readToolSet', () => {
  test('leaves out what says nothing, so that equal sets have equal digests', () => {
    const given = {
      tools: { 'b/x': { arguments: {} }, 'a/z': { name: 'z', hidden: undefined }, 'a/b': { hidden: true } },
      name: 'work',
    };
    const read = readToolSet(given);
    const text = '{"name":"work","tools":{"a/b":{"hidden":true},"a/z":{"name":"z"}}}';
    expect(JSON.stringify('set' in read && read.set)).toBe(text);
  });

  test.each<[unknown, string]>([
    [null, 'a set must be an object'],
    [{ name: 'Work' }, '"Work" is not a valid name of a set'],
    [{ name: '../x' }, 'is not a valid name of a set'],
    [{ name: 'a', extra: 1 }, 'a set has no member "extra"'],
    [{ name: 'a', packages: ['docs/search'] }, 'write "docs/search" in only'],
    [{ name: 'a', only: [''] }, 'only must be a list of names'],
    [{ name: 'a', tools: [] }, 'tools must be an object'],
    [{ name: 'a', tools: { docs: { hidden: true } } }, 'docs: write a tool as PACKAGE/TOOL'],
    [{ name: 'a', tools: { '*/x': { hidden: true } } }, 'write a tool as PACKAGE/TOOL'],
    [{ name: 'a', tools: { 'd/*': { name: 'x' } } }, 'only hidden can be said about all tools'],
    [{ name: 'a', tools: { 'd/x': { nane: 'x' } } }, 'unknown member "nane"'],
    [{ name: 'a', tools: { 'd/x': { name: 'a b' } } }, 'is not a valid tool name'],
    [{ name: 'a', tools: { 'd/x': { name: 'x'.repeat(65) } } }, 'is not a valid tool name'],
    [{ name: 'a', tools: { 'd/x': { name: 'Call_Tool' } } }, 'the name Call_Tool is reserved'],
    [
      { name: 'a', tools: { 'd/x': { name: 'go' }, 'd/y': { name: 'GO' } } },
      'd/y: d/x has the name "GO" already',
    ],
    [{ name: 'a', tools: { 'd/x': { description: ' ' } } }, 'a text that is not empty'],
    [{ name: 'a', tools: { 'd/x': { description: 'x'.repeat(4097) } } }, 'more than 4096 characters'],
    [{ name: 'a', tools: { 'd/x': { description: 'a\u202eb' } } }, 'the hidden character U+202E'],
    [{ name: 'a', tools: { 'd/x': { arguments: 1 } } }, 'arguments must be an object'],
    [JSON.parse('{"name":"a","tools":{"d/x":{"arguments":{"__proto__":1}}}}'), '__proto__ cannot be fixed'],
    [{ name: 'a', tools: { 'd/x': { arguments: { a: 'x'.repeat(300_000) } } } }, 'larger than 256 KiB'],
  ])('%j is rejected: %s', (given, problem) => {
    const read = readToolSet(given);
    expect('problem' in read && read.problem).toContain(problem);
  });
});
