import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderBundle } from '../../../src/bundle/folder.js';
import { defaultParseOptions } from '../../../src/formats/index.js';
import { nexo } from '../../../src/formats/nexo/format.js';
import type { Package } from '../../../src/model/package.js';
import { constantText } from '../../../src/model/template.js';

const home = join(import.meta.dirname, '../../../examples/nexo');

function read(name: string): Package {
  const bundle = folderBundle({
    root: join(home, name),
    manifest: 'plugin.toml',
    singleFile: false,
    displayRoot: name,
  });
  const result = nexo.parse(bundle, defaultParseOptions);
  expect(result.diagnostics).toEqual([]);
  return result.package as Package;
}

/** Starts a program of the package as its manifest says, with only PATH set, and sends it requests. */
function talk(name: string, program: string, requests: readonly object[]): Record<string, unknown>[] {
  const target = read(name).programs.find((it) => it.name === program)?.target;
  if (target?.kind !== 'process') throw new Error(`${program} is not a process`);
  const interpreters = { node: 'node', python: 'python3' } as const;
  const declared = target.command.map((it) => constantText(it) as string);
  const all = target.runtime === undefined ? declared : [interpreters[target.runtime.language], ...declared];
  const [command, ...args] = all as [string, ...string[]];
  const { stdout, status } = spawnSync(command, args, {
    cwd: join(home, name, target.directory),
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    input: requests.map((it) => `${JSON.stringify({ jsonrpc: '2.0', ...it })}\n`).join(''),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('no example has findings', () => {
  const names = readdirSync(home).sort();
  expect(names).toEqual(['leak-guard', 'machine-watch', 'subnet-desk']);
  for (const name of names) expect(read(name).id).toBe(name);
});

describe('leak-guard', () => {
  const card = '4111 1111 1111 1111';

  test('announces the tools and hooks that its manifest declares', () => {
    const [hello] = talk('leak-guard', '@extension', [{ id: 0, method: 'initialize', params: {} }]);
    const { tools, hooks } = (hello as Record<string, unknown>).result as {
      tools: { name: string }[];
      hooks: string[];
    };
    const { tools: declared, hooks: asked } = read('leak-guard');
    expect(tools.map((it) => it.name)).toEqual(declared.map((it) => it.name));
    expect(hooks).toEqual(asked.map((it) => it.point));
  });

  test('masks secrets, aborts calls with secrets, and passes others', () => {
    const answers = talk('leak-guard', '@extension', [
      { id: 1, method: 'tools/call', params: { name: 'mask_secrets', arguments: { text: `pay ${card}` } } },
      { id: 2, method: 'hooks/before_message', params: { text: `pay ${card}` } },
      { id: 3, method: 'hooks/before_tool_call', params: { tool: 'mail', arguments: { body: [card] } } },
      { id: 4, method: 'hooks/before_tool_call', params: { tool: 'mail', arguments: { body: ['hi'] } } },
      { method: 'shutdown', params: { reason: 'test' } },
    ]);
    expect(answers.map((it) => it.result)).toEqual([
      { text: 'pay [card number]', masked: 1 },
      { abort: false, override: { text: 'pay [card number]' } },
      { abort: true, reason: 'the arguments seem to contain: card number' },
      { abort: false },
    ]);
  });
});

describe('subnet-desk', () => {
  test('the extension answers a call', () => {
    const [it] = talk('subnet-desk', '@extension', [
      {
        id: 1,
        method: 'tools/call',
        params: { name: 'describe_subnet', arguments: { subnet: '10.0.0.5/30' } },
      },
    ]);
    expect(it?.result).toMatchObject({ subnet: '10.0.0.4/30', hosts: 2, kind: 'private' });
  });

  test('the MCP server of the sidecar answers a call', () => {
    const subnets = ['10.0.0.0/8', '10.1.0.0/16', '11.0.0.0/8'];
    const answers = talk('subnet-desk', 'planner', [
      { id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
      { method: 'notifications/initialized' },
      { id: 1, method: 'tools/call', params: { name: 'find_overlaps', arguments: { subnets } } },
    ]);
    expect(answers[0]?.result).toMatchObject({ protocolVersion: '2025-06-18' });
    expect(answers[1]?.result).toMatchObject({
      structuredContent: { overlaps: [{ outer: '10.0.0.0/8', inner: '10.1.0.0/16' }] },
    });
  });
});

test('machine-watch answers on the NATS prefix of its manifest', async () => {
  expect(read('machine-watch').programs[0]?.target).toEqual({ kind: 'nats', subjectPrefix: 'ext' });
  const { answer } = await import(join(home, 'machine-watch/tools.mjs'));
  const { tools } = answer('initialize', {});
  expect(tools.map((it: { name: string }) => it.name)).toEqual(
    read('machine-watch').tools.map((it) => it.name),
  );
  expect(answer('tools/call', { name: 'disk_space', arguments: { path: '/' } })).toMatchObject({ path: '/' });
});
