import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import { defaultParseOptions } from '../index.js';
import { nexo } from './format.js';
import { starter } from './starter.js';

test.each([
  ['weather', 'weather'],
  ['My Tool', 'my-tool'],
  ['memory', 'memory-extension'],
  ['Çafé "42"\n', 'cafe-42'],
  ['../../etc', 'etc'],
  ['9lives', 'lives'],
  ['\u202e', 'extension'],
  ['', 'extension'],
  ['x'.repeat(300), 'x'.repeat(48)],
])('a new package named %j has no diagnostics and the id %s', (name, id) => {
  const files = Object.fromEntries(starter(name).map((it) => [it.path, it.text]));
  const result = nexo.parse(memoryBundle(files, 'plugin.toml'), defaultParseOptions);
  expect(result.diagnostics).toEqual([]);
  expect(result.package?.id).toBe(id);
});

test('the extension answers the requests of the protocol', () => {
  const home = mkdtempSync(join(tmpdir(), 'nexo-starter-'));
  try {
    for (const { path, text } of starter('demo')) writeFileSync(join(home, path), text);
    const requests = [
      { id: 0, method: 'initialize', params: { agent_version: '1.0.0', extension_id: 'demo' } },
      { id: 1, method: 'tools/call', params: { name: 'count_words', arguments: { text: 'one two\nthree' } } },
      { id: 2, method: 'tools/call', params: { name: 'nothing', arguments: {} } },
      { id: 3, method: 'tools/call', params: { name: 'count_words', arguments: {} } },
      { method: 'shutdown', params: { reason: 'test' } },
    ];
    const { stdout, status } = spawnSync(process.execPath, ['extension.mjs'], {
      cwd: home,
      env: {},
      input: requests.map((it) => `${JSON.stringify({ jsonrpc: '2.0', ...it })}\n`).join(''),
      encoding: 'utf8',
    });
    const responses = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(status).toBe(0);
    expect(responses).toMatchObject([
      { id: 0, result: { tools: [{ name: 'count_words' }], hooks: [] } },
      { id: 1, result: { characters: 13, words: 3, lines: 2 } },
      { id: 2, error: { code: -32601 } },
      { id: 3, error: { code: -32602 } },
    ]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
