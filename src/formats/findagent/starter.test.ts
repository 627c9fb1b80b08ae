import { expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import { defaultParseOptions } from '../index.js';
import { findagent } from './format.js';
import { starter } from './starter.js';

test.each([
  ['tide-watcher', 'tide-watcher'],
  ['Tide Watcher', 'tide-watcher'],
  ['x', 'x-agent'],
  ['', 'my-agent'],
  ['   ', 'my-agent'],
  ['a"b\\c', 'a-b-c'],
  ['n'.repeat(300), 'n'.repeat(64)],
  ['Gezeiten für Köln', 'gezeiten-fur-koln'],
  ['潮汐の番人', 'agent'],
  ['ti\u200bde\u202e', 'tide'],
])('a new package named %j has no diagnostics and the id %s', (name, id) => {
  const files = Object.fromEntries(starter(name).map((it) => [it.path, it.text]));
  const result = findagent.parse(memoryBundle(files, 'findagent.json'), defaultParseOptions);
  expect(result.diagnostics).toEqual([]);
  expect(result.package?.id).toBe(id);
  expect(result.package?.tools.map((it) => it.name)).toEqual(['draft_message']);
  expect(files['README.md']).toContain('toolwharf call . draft_message');
});
