// The official client, in both eras, with a real host.
import { join } from 'node:path';
import type { Progress } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import { BareClient, bugs, type Era, frontFor, officialClient, partsFor } from '../../../support/mcp-wire.js';
import { running } from '../../../support/processes.js';
import { patchTool, until } from '../../../support/toolwharf.js';
import { findagent, inputOf, talos, type Workbench, workbench } from '../../../support/workbench.js';

const skills = join(import.meta.dirname, '../../../../examples/findagent/review-skills');
const long = 'x'.repeat(60);
let bench: Workbench;
let session: Session;
/** All MCP servers of a host share these. */
const parts = partsFor();
let fronts: McpServer[] = [];

const front = (expose: 'all' | 'search' | 'auto' = 'all', holder = 'agent') => {
  const made = frontFor({ host: bench.host, session, expose, holder, parts });
  fronts.push(made);
  return made;
};

beforeAll(async () => {
  bench = await workbench(
    {
      'count.py': patchTool({ name: 'count' }),
      'flood.py': patchTool({ name: 'flood', body: '    return {"text": text * 3000}' }),
      'slow.py': patchTool({
        name: 'slow',
        body: '    import time\n    time.sleep(float(text))\n    return {"slept": text}',
      }),
      'off.py': patchTool({ name: 'off' }),
      'tables.py': patchTool({ name: 'tables', body: '    return [[text]]' }).replace(
        'type: object',
        'type: array\n#   items: object',
      ),
      ...talos({
        id: 'shapes',
        functions: ['list', 'text', 'nothing'],
        code: 'export const list = () => [1, 2];\nexport const text = () => "just words";\nexport const nothing = () => null;\n',
      }),
      'keeper/findagent.json': findagent('Keeper', {
        example_prompts: ['What was decided?'],
        kind: 'static-recipe',
        tools: [
          {
            name: 'summary',
            description: 'A text to summarize minutes.',
            input_schema: inputOf({ about: { type: 'string', description: 'The meeting.' } }, ['about']),
            action: {
              type: 'prompt-template',
              template: 'Summarize the meeting about {about}, in three sentences.',
            },
          },
        ],
      }),
      // A prestarted sandbox would not be a new process.
    },
    { warm: false },
  );
  session = await bench.session({ directories: [bench.packages, skills] });
});

afterAll(async () => {
  for (const it of fronts) it.close();
  fronts = [];
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe.each<Era>(['2025', '2026'])('an official client of %s', (era) => {
  test('lists tools with annotations and sandbox levels in a stable order', async () => {
    const client = await officialClient(front(), era);
    const { tools } = await client.listTools();
    expect(tools.map((it) => it.name)).toEqual([
      'count',
      'flood',
      'keeper_summary',
      'off',
      'shapes_list',
      'shapes_nothing',
      'shapes_text',
      'slow',
      'tables',
      'patch_confirm_action',
    ]);
    const count = tools.find((it) => it.name === 'count');
    expect(count).toMatchObject({
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      description: 'Do something with a text.\n\nReturns: object',
      annotations: { readOnlyHint: true },
      _meta: { 'toolwharf/tool': 'count/count', 'toolwharf/outputs': { type: 'object' } },
    });
    expect(count).not.toHaveProperty('outputSchema');
    expect(['enforced', 'degraded']).toContain(count?._meta?.['toolwharf/sandbox']);
    const again = await officialClient(front(), era);
    expect((await again.listTools()).tools).toEqual(tools);
    await Promise.all([client.close(), again.close()]);
  });

  test('calls tools of each kind and gets values of each shape', async () => {
    const client = await officialClient(front(), era);
    await client.listTools();
    expect(await client.callTool({ name: 'count', arguments: { text: 'a b' } })).toMatchObject({
      structuredContent: { words: 2 },
      content: [{ type: 'text', text: '{"words":2}' }],
    });
    // Its outputs say "items: object"; the answer is kept, with a warning.
    const differs = await client.callTool({ name: 'tables', arguments: { text: 'a' } });
    expect(textOf(differs)).toBe('[["a"]]');
    expect(differs.isError).not.toBe(true);
    expect(differs._meta?.['toolwharf/warnings']).toEqual([
      expect.stringMatching(
        /tables\/tables differs from the output that its manifest describes: 0 must be object/,
      ),
    ]);
    expect(textOf(await client.callTool({ name: 'shapes_list', arguments: {} }))).toBe('[1,2]');
    expect(textOf(await client.callTool({ name: 'shapes_text', arguments: {} }))).toBe('just words');
    expect(textOf(await client.callTool({ name: 'shapes_nothing', arguments: {} }))).toBe('null');
    expect(textOf(await client.callTool({ name: 'keeper_summary', arguments: { about: 'tea' } }))).toBe(
      'Summarize the meeting about tea, in three sentences.',
    );
    const wrong = await client.callTool({ name: 'count', arguments: { words: 1 } });
    expect(wrong).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'invalid_input' } });
    await expect(client.callTool({ name: 'missing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('lists and gets prompts', async () => {
    const client = await officialClient(front(), era);
    const prompts = (await client.listPrompts()).prompts.filter((it) => it.name.startsWith('keeper'));
    expect(prompts.map((it) => [it.name, it._meta?.['toolwharf/kind']])).toEqual([
      ['keeper', 'instructions'],
      ['keeper_summary', 'template'],
    ]);
    expect(prompts[0]?._meta?.['toolwharf/examples']).toEqual(['What was decided?']);
    const filled = await client.getPrompt({ name: 'keeper_summary', arguments: { about: 'tea' } });
    expect(filled.messages).toEqual([
      {
        role: 'user',
        content: { type: 'text', text: 'Summarize the meeting about tea, in three sentences.' },
      },
    ]);
    for (const wrong of [{ name: 'missing' }, { name: 'keeper_summary' }])
      await expect(client.getPrompt(wrong)).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('reads skills as resources', async () => {
    const client = await officialClient(front(), era);
    const { resources } = await client.listResources();
    expect(resources.map((it) => it.uri)).toContain('skill://review-skills/write-tests');
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: expect.stringMatching(/\w{4}/) }]);
    }
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    for (const uri of ['skill://review-skills/../write-tests', 'file:///etc/passwd', 'toolwharf://result/x'])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
    await client.close();
  });

  test('reads a large result through its link, which another client cannot use', async () => {
    const own = front();
    const client = await officialClient(own, era);
    const result = await client.callTool({ name: 'flood', arguments: { text: long } });
    const [shown, note, link] = result.content as { type: string; text?: string; uri?: string }[];
    expect(shown?.text).toHaveLength(100_000);
    expect(note?.text).toContain(link?.uri);
    expect(link?.type).toBe('resource_link');
    // The structured content is complete, because the tool declares an output schema.
    expect(result.structuredContent).toEqual({ text: long.repeat(3000) });
    const uri = link?.uri as string;
    const whole = await client.readResource({ uri });
    const text = JSON.stringify({ text: long.repeat(3000) });
    expect(whole.contents).toEqual([{ uri, mimeType: 'application/json', text }]);
    const part = await client.readResource({ uri: `${uri}?offset=100000&limit=10` });
    expect((part.contents[0] as { text: string }).text).toBe(text.slice(100_000, 100_010));
    const stranger = await officialClient(front('all', 'stranger'), era);
    await expect(stranger.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    await Promise.all([client.close(), stranger.close()]);
  });

  test('gets progress if it requests it', async () => {
    const client = await officialClient(front(), era);
    const beats: Progress[] = [];
    await client.callTool(
      { name: 'slow', arguments: { text: '2.4' } },
      { onprogress: (it) => void beats.push(it) },
    );
    expect(beats.map((it) => it.message)).toEqual(['1 s', '2 s']);
    // Always more, but less than any number of a tool.
    const [first, second] = beats.map((it) => it.progress) as [number, number];
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(0.001);
    await client.close();
  });

  test('gets an error when a call times out', async () => {
    const hasty = await bench.session({ policy: { limits: { wallSeconds: 1 } } });
    const own = frontFor({ host: bench.host, session: hasty });
    fronts.push(own);
    const client = await officialClient(own, era);
    const result = await client.callTool({ name: 'slow', arguments: { text: '600' } });
    expect(result).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'timeout' } });
    await client.close();
  });

  test('cancels a call, which ends its process', async () => {
    const client = await officialClient(front(), era);
    const before = new Set(running());
    const given = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: { text: '600' } }, { signal: given.signal });
    const ended = expect(call).rejects.toThrow();
    await until(() => running().some((it) => !before.has(it)));
    given.abort();
    await ended;
    await until(() => running().every((it) => before.has(it)));
    await client.close();
  });

  test('disconnects during a call, which ends its process', async () => {
    const client = await officialClient(front(), era);
    const before = new Set(running());
    const call = client.callTool({ name: 'slow', arguments: { text: '600' } });
    const ended = expect(call).rejects.toThrow();
    await until(() => running().some((it) => !before.has(it)));
    await client.close();
    await ended;
    await until(() => running().every((it) => before.has(it)));
  });

  test('is notified when a package is disabled or enabled', async () => {
    const names: string[][] = [];
    const client = await officialClient(front(), era, {
      listChanged: {
        tools: { onChanged: (_error, tools) => void names.push((tools ?? []).map((it) => it.name)) },
      },
    });
    expect((await client.listTools()).tools.map((it) => it.name)).toContain('off');
    await bench.host.switches.set('off', false, 'me');
    await until(() => names.length > 0);
    await bench.host.switches.set('off', true, 'me');
    await until(() => names.length > 1);
    expect(names.map((it) => it.includes('off'))).toEqual([false, true]);
    await client.close();
  });

  test('gets its trace context back', async () => {
    const client = await officialClient(front(), era);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const result = await client.callTool({
      name: 'count',
      arguments: { text: 'a' },
      _meta: { traceparent, baggage: 'k=v' },
    });
    expect(result._meta).toMatchObject({ traceparent, baggage: 'k=v', 'toolwharf/call': expect.any(String) });
    await client.close();
  });

  test('uses all tools through the meta-tools', async () => {
    const client = await officialClient(front('search'), era);
    expect((await client.listTools()).tools.map((it) => it.name)).toEqual([
      'find_tools',
      'describe_tool',
      'call_tool',
      'request_install',
      'patch_confirm_action',
    ]);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    const found = JSON.parse(textOf(await call('find_tools', { query: 'summarise meeting minute' })));
    expect(found.tools[0]).toEqual({
      name: 'keeper_summary',
      package: 'keeper',
      description: 'A text to summarize minutes.',
    });
    const described = JSON.parse(textOf(await call('describe_tool', { name: 'keeper_summary' })));
    expect(described.inputSchema.required).toEqual(['about']);
    const made = await call('call_tool', { name: 'keeper_summary', arguments: { about: 'tea' } });
    expect(textOf(made)).toContain('about tea');
    const wrong = await call('call_tool', { name: 'count', arguments: { nonsense: 1 } });
    expect(wrong).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'invalid_input' } });
    expect(await call('call_tool', { name: 'call_tool' })).toMatchObject({ isError: true });
    expect(await call('find_tools', { query: '' })).toMatchObject({ isError: true });
    expect(await call('find_tools', { query: 'a', limit: 1e9 })).toMatchObject({ isError: true });
    expect(await call('describe_tool', { name: 'missing' })).toMatchObject({ isError: true });
    await client.close();
    const few = await officialClient(front('auto'), era);
    expect((await few.listTools()).tools.map((it) => it.name)).toContain('count');
    await expect(few.callTool({ name: 'call_tool', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    await few.close();
  });
});

test('a client of a revision without links and structured content gets neither', async () => {
  const client = new BareClient(front());
  await client.request('initialize', { protocolVersion: '2025-03-26', capabilities: {} });
  const listed = await client.request('tools/list', {}, 2);
  expect(JSON.stringify(listed)).not.toContain('outputSchema');
  const flooded = await client.request('tools/call', { name: 'flood', arguments: { text: long } }, 3);
  const { content, structuredContent } = flooded.result as {
    content: { type: string }[];
    structuredContent: unknown;
  };
  expect(structuredContent).toBeUndefined();
  expect(content.map((it) => it.type)).toEqual(['text', 'text']);
});

test('a client that negotiates the version gets the newer era', async () => {
  const client = await officialClient(front(), '2026');
  expect(client.getNegotiatedProtocolVersion?.()).toBe('2026-07-28');
  expect(client.getInstructions()).toContain('each in its own sandbox');
  expect(client.getServerVersion()).toMatchObject({ name: 'toolwharf', version: '9.9.9' });
  await client.close();
});
