import { describe, expect, test } from 'vitest';
import type { ToolSet } from '../../model/tool-set.js';
import { showsPackage, showsTool } from './set-scope.js';

const set = (members: Partial<ToolSet>): ToolSet => ({ name: 'work', tools: {}, ...members });

describe('showsTool', () => {
  test.each<[string, Partial<ToolSet>, string, boolean]>([
    ['an empty set shows everything', {}, 'docs/search', true],
    ['a named package', { packages: ['docs', 'web*'] }, 'webby/find', true],
    ['another package', { packages: ['docs'] }, 'docs2/search', false],
    ['another case of a named package', { packages: ['docs'] }, 'Docs/search', false],
    ['a named tool', { only: ['docs/search'] }, 'docs/search', true],
    ['another tool', { only: ['docs/search'] }, 'docs/delete', false],
    ['all tools of a package', { only: ['docs'] }, 'docs/delete', true],
    ['nothing is named', { only: [] }, 'docs/search', false],
    ['a hidden tool', { tools: { 'docs/delete': { hidden: true } } }, 'docs/delete', false],
    ['a twin of a hidden tool in case', { tools: { 'docs/delete': { hidden: true } } }, 'docs/Delete', false],
    [
      'a twin of a hidden tool in how it is written',
      { tools: { 'docs/caf\u00e9': { hidden: true } } },
      'docs/cafe\u0301',
      false,
    ],
    ['another tool', { tools: { 'docs/delete': { hidden: true } } }, 'docs/delete2', true],
    ['a hidden package', { tools: { 'docs/*': { hidden: true } } }, 'docs/search', false],
    [
      'a tool that is shown again',
      { tools: { 'docs/*': { hidden: true }, 'docs/search': { hidden: false } } },
      'docs/search',
      true,
    ],
    ['hiding wins over naming', { only: ['docs'], tools: { 'docs/a': { hidden: true } } }, 'docs/a', false],
    ['a name of a member of all objects', { only: ['docs/toString'] }, 'docs/toString', true],
  ])('%s: %j %s', (_, members, tool, shown) => {
    expect(showsTool(set(members), tool)).toBe(shown);
  });
});

describe('showsPackage', () => {
  test.each<[Partial<ToolSet>, boolean]>([
    [{}, true],
    [{ packages: ['docs'] }, true],
    [{ packages: ['other'] }, false],
    [{ only: ['docs/search'] }, true],
    [{ only: ['other/search'] }, false],
    [{ tools: { 'docs/search': { hidden: true } } }, true],
    [{ tools: { 'docs/*': { hidden: true } } }, false],
    [{ tools: { 'docs/*': { hidden: true }, 'docs/search': { hidden: false } } }, true],
  ])('%j: %s', (members, shown) => {
    expect(showsPackage(set(members), 'docs')).toBe(shown);
  });
});
