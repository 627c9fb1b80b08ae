// The table of docs/design/surfaces.md: which result a call gets that did not run or failed. No call throws in the
// official client of either era, with and without an output schema.
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rule, Session } from '../../../../src/index.js';
import { type Era, frontFor, officialClient } from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { knownEffects, type Workbench, workbench } from '../../../support/workbench.js';

const names = ['held', 'denied', 'slow', 'broken'] as const;
const outputSchema = { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] };
const tools = names.flatMap((name) => {
  const annotations = { destructiveHint: name === 'held' };
  const entry = { description: 'Goes.', inputSchema: { type: 'object', properties: {} }, annotations };
  return [
    { name, ...entry },
    { name: `${name}_checked`, ...entry, outputSchema },
  ];
});

const server = `on = {
  'tools/list': () => ({ tools: ${JSON.stringify(tools)} }),
  'tools/call': ({ name }) => {
    if (name.startsWith('slow')) return undefined;
    if (name.startsWith('broken')) return { isError: true, content: [{ type: 'text', text: 'no such row' }] };
    return { content: [{ type: 'text', text: 'done' }], structuredContent: { done: true } };
  },
};`;

let bench: Workbench;
let session: Session;

/** The same session, whose calls end soon. */
function impatient(it: Session): Session {
  return new Proxy(it, {
    get(target, key) {
      if (key === 'call')
        return (request: Parameters<Session['call']>[0]) => target.call({ ...request, timeoutMs: 400 });
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

beforeAll(async () => {
  bench = await workbench(serverPackage('desk', server));
  const denial: Rule = { tool: 'desk/denied*', approval: 'deny', origin: { kind: 'session' } };
  session = await bench.session({ policy: { rules: [knownEffects, denial] } });
});

afterAll(() => bench.close());

describe.each<Era>(['2025', '2026'])('the official client of %s', (era) => {
  let client: Client;
  const open = (it: Session) => officialClient(frontFor({ host: bench.host, session: it }), era);

  beforeAll(async () => {
    client = await open(session);
    // The client checks results against the schemas that it has listed.
    await client.listTools();
  });

  afterAll(() => client.close());

  const call = (name: string, with_ = client) => with_.callTool({ name: `desk_${name}`, arguments: {} });

  test('a held call is a result like any other: it waits, and can be asked for', async () => {
    const result = await call('held');
    expect(result.isError).toBeUndefined();
    const [part] = result.content as { text: string }[];
    expect(JSON.parse(part?.text ?? '')).toEqual(result.structuredContent);
    expect(result).toMatchObject({
      structuredContent: {
        status: 'confirmation_required',
        tool: 'desk/held',
        next: expect.stringContaining('patch_confirm_action'),
      },
      _meta: { 'toolwharf/status': 'confirmation_required' },
    });
    const { confirmation_token } = result.structuredContent as { confirmation_token: string };
    const confirm = { name: 'patch_confirm_action', arguments: { confirmation_token } };
    const pending = await client.callTool(confirm);
    expect([pending.isError, pending.structuredContent]).toMatchObject([undefined, { status: 'pending' }]);
    await bench.host.approvals.approve(confirmation_token, 'person');
    expect((await client.callTool(confirm)).content).toEqual([{ type: 'text', text: 'done' }]);
  });

  test('a held call of a tool with an output schema is marked, as it cannot match the schema', async () => {
    expect(await call('held_checked')).toMatchObject({
      isError: true,
      structuredContent: { status: 'confirmation_required', confirmation_token: expect.any(String) },
    });
  });

  test('a held call through call_tool is never marked: call_tool has no output schema', async () => {
    const front = frontFor({ host: bench.host, session, expose: 'search' });
    const searching = await officialClient(front, era);
    await searching.listTools();
    const target = { name: 'desk_held_checked', arguments: {} };
    const result = await searching.callTool({ name: 'call_tool', arguments: target });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ status: 'confirmation_required' });
    await searching.close();
  });

  test.each(['', '_checked'])('a denied call is a marked result (tool name ends with %j)', async (end) => {
    expect(await call(`denied${end}`)).toMatchObject({
      isError: true,
      content: [{ type: 'text' }],
      _meta: { 'toolwharf/status': 'denied', 'toolwharf/code': 'denied' },
    });
  });

  test.each(['', '_checked'])('a tool error is a marked result (tool name ends with %j)', async (end) => {
    expect(await call(`broken${end}`)).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'no such row' }],
      _meta: { 'toolwharf/status': 'error', 'toolwharf/code': 'tool_failed' },
    });
  });

  test.each(['', '_checked'])(
    'a call that takes too long is a marked result (tool name ends with %j)',
    async (end) => {
      const hasty = await open(impatient(session));
      await hasty.listTools();
      expect(await call(`slow${end}`, hasty)).toMatchObject({
        isError: true,
        _meta: { 'toolwharf/status': 'timeout', 'toolwharf/code': 'timeout' },
      });
      await hasty.close();
    },
  );

  test('control: a result that is not marked and does not match the schema throws in this client', async () => {
    const other: Session = new Proxy(session, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key !== 'call') return typeof member === 'function' ? member.bind(target) : member;
        return async () => ({
          ...{ status: 'ok', tool: 'desk/held_checked', callId: 'call_1', warnings: [] },
          result: { status: 'confirmation_required' },
        });
      },
    });
    const strict = await open(other);
    await strict.listTools();
    await expect(call('held_checked', strict)).rejects.toThrow(/structured|schema/i);
    await strict.close();
  });
});
