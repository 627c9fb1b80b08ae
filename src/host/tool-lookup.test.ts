import { describe, expect, test } from 'vitest';
import type { SessionTool } from './session-tool.js';
import { findTool } from './tool-lookup.js';

const tool = (id: string, name: string, exposed: string) =>
  ({ name: `${id}/${name}`, exposed, package: { id }, tool: { name } }) as SessionTool;

describe('findTool', () => {
  const tools = [
    tool('a', 'run', 'a_run'),
    tool('b', 'run', 'b_run'),
    tool('b', 'look', 'look'),
    tool('c', 'x', 'a/run'),
  ];

  test('finds a tool by its full name, then by its exposed name, then by a short name that is unique', () => {
    expect(findTool(tools, 'a/run')).toBe(tools[0]);
    expect(findTool(tools, 'b_run')).toBe(tools[1]);
    expect(findTool(tools, 'look')).toBe(tools[2]);
    expect(findTool(tools, 'a')).toBe(tools[0]);
    expect(findTool(tools, 'x')).toBe(tools[3]);
    for (const name of ['run', 'b', 'nothing', '']) expect(findTool(tools, name)).toBeUndefined();
  });

  test('looks only in the given list', () => {
    const later = [tool('a', 'run', 'other')];
    expect(findTool(later, 'a/run')).toBe(later[0]);
    expect(findTool(later, 'a_run')).toBeUndefined();
    expect(findTool([], 'a/run')).toBeUndefined();
    expect(findTool(tools, 'a_run')).toBe(tools[0]);
  });
});
