import { describe, expect, test } from 'vitest';
import type { SessionTool } from './session-tool.js';
import { ToolIndex } from './tool-lookup.js';

const tool = (id: string, name: string, exposed: string) =>
  ({ name: `${id}/${name}`, exposed, package: { id }, tool: { name } }) as SessionTool;

describe('a tool index', () => {
  const tools = [
    tool('a', 'run', 'a_run'),
    tool('b', 'run', 'b_run'),
    tool('b', 'look', 'look'),
    tool('c', 'x', 'a/run'),
  ];

  test('finds a tool by its full name, then by its exposed name, then by a short name that is unique', () => {
    expect(new ToolIndex(tools).find('a/run')).toBe(tools[0]);
    expect(new ToolIndex(tools).find('b_run')).toBe(tools[1]);
    expect(new ToolIndex(tools).find('look')).toBe(tools[2]);
    expect(new ToolIndex(tools).find('a')).toBe(tools[0]);
    expect(new ToolIndex(tools).find('x')).toBe(tools[3]);
    for (const name of ['run', 'b', 'nothing', '']) expect(new ToolIndex(tools).find(name)).toBeUndefined();
  });

  test('looks only in the given list', () => {
    const later = [tool('a', 'run', 'other')];
    expect(new ToolIndex(later).find('a/run')).toBe(later[0]);
    expect(new ToolIndex(later).find('a_run')).toBeUndefined();
    expect(new ToolIndex([]).find('a/run')).toBeUndefined();
    expect(new ToolIndex(tools).find('a_run')).toBe(tools[0]);
  });
});
