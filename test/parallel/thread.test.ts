// One example through all features, as in the README: two manifests are checked, called, served, held, approved
// and audited, and then the same from TypeScript.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../src/index.js';
import {
  findagentTool,
  type LoopbackServer,
  loopbackServer,
  main,
  patchTool,
  temporaryFolder,
  toolwharf,
  until,
} from '../support/toolwharf.js';

let server: LoopbackServer;
let tools: ReturnType<typeof temporaryFolder>;
let state: ReturnType<typeof temporaryFolder>;
let stateFlag: string[];

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ order: request.url?.split('/').at(-1), status: 'shipped' }));
  });
  tools = temporaryFolder({
    'word_count.py': patchTool({ name: 'word_count' }),
    'send_note.py': patchTool({ name: 'send_note', humanConfirm: true, body: '    return {"sent": text}' }),
    'orders/findagent.json': findagentTool(server.port),
  });
  state = temporaryFolder();
  stateFlag = ['--state', join(state.path, 'state')];
});

afterAll(async () => {
  await server.close();
  tools.remove();
  state.remove();
});

describe('the README example', () => {
  test('1 and 2: both manifests are parsed, and mistakes are shown with line and caret', async () => {
    const clean = await toolwharf(['validate', '--json', tools.path]);
    expect(clean.code).toBe(0);
    const document = JSON.parse(clean.stdout);
    expect(document.schema).toBe('toolwharf/validate@1');
    expect(document.files.map((it: { format: string; package: unknown }) => [it.format, it.package])).toEqual(
      [
        ['findagent', { id: 'order-desk', version: '0.0.0', tools: ['find_order'] }],
        ['patch', { id: 'send_note', version: '1.0.0', tools: ['send_note'] }],
        ['patch', { id: 'word_count', version: '1.0.0', tools: ['word_count'] }],
      ],
    );

    const broken = temporaryFolder({ 'tool.py': patchTool({ name: 'Word-Count' }) });
    const shown = await toolwharf(['validate', 'tool.py'], { cwd: broken.path });
    broken.remove();
    expect(shown.code).toBe(3);
    expect(shown.stdout).toContain(
      [
        'error[schema.pattern] name "Word-Count" does not match ^[a-z][a-z0-9_]*$',
        ' --> tool.py:2:9',
        '  |',
        '2 | # name: Word-Count',
        '  |         ^^^^^^^^^^',
        '  = help: start with a lower-case letter',
      ].join('\n'),
    );
  });

  test('3: the Patch tool runs in the sandbox; the FindAgent tool reaches only a granted server', async () => {
    const counted = await toolwharf([
      'call',
      '--json',
      join(tools.path, 'word_count.py'),
      '{"text":"one two three"}',
      ...stateFlag,
    ]);
    expect(counted.code).toBe(0);
    expect(JSON.parse(counted.stdout)).toMatchObject({
      schema: 'toolwharf/call@1',
      tool: 'word_count/word_count',
      status: 'ok',
      result: { words: 3 },
    });
    // The call ID finds the entries in the audit log.
    const { callId } = JSON.parse(counted.stdout);
    const audit = await toolwharf(['audit', 'show', callId, '--json', ...stateFlag]);
    const { entries } = JSON.parse(audit.stdout);
    expect(entries.map((it: { kind: string }) => it.kind)).toEqual(['intent', 'outcome']);

    const denied = await toolwharf([
      'call',
      '--json',
      join(tools.path, 'orders'),
      'find_order',
      '{"number":"17"}',
      ...stateFlag,
    ]);
    expect(denied.code).toBe(5);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      status: 'denied',
      error: {
        code: 'network_denied',
        hint: expect.stringContaining(`--allow net:127.0.0.1:${server.port}`),
      },
    });
    expect(server.requests).toEqual([]);

    const allow = ['--allow', `net:127.0.0.1:${server.port}`];
    const found = await toolwharf([
      'call',
      '--json',
      join(tools.path, 'orders'),
      'find_order',
      '{"number":"../17"}',
      ...allow,
      ...stateFlag,
    ]);
    expect(JSON.parse(found.stdout)).toMatchObject({
      status: 'ok',
      result: { order: '..%2F17', status: 'shipped' },
    });
    expect(server.requests.map((it) => it.url)).toEqual(['/orders/..%2F17']);
  });

  test('4, 5 and 6: an MCP client calls tools, an approved call runs once, and all is audited', async () => {
    const env = { ...(process.env as Record<string, string>), TOOLWHARF_IDLE: '1s' };
    const client = new Client({ name: 'thread', version: '1.0.0' });
    // What a client starts accepts nothing.
    expect(await toolwharf(['review', tools.path, '--yes', ...stateFlag])).toMatchObject({ code: 0 });
    const args = [main, 'mcp', tools.path, '--allow', `net:127.0.0.1:${server.port}`, ...stateFlag];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));

    const { tools: listed } = await client.listTools();
    expect(listed.map((it) => it.name)).toEqual([
      'order-desk_find_order',
      'send_note',
      'word_count',
      'patch_confirm_action',
    ]);
    expect(await client.callTool({ name: 'word_count', arguments: { text: 'a b' } })).toMatchObject({
      structuredContent: { words: 2 },
    });
    expect(textOf(await client.callTool({ name: 'order-desk_find_order', arguments: { number: '5' } }))).toBe(
      '{"order":"5","status":"shipped"}',
    );

    const held = await client.callTool({ name: 'send_note', arguments: { text: 'hello' } });
    expect(held.isError).toBeUndefined();
    const { status, confirmation_token: token, kind, arguments: shown } = JSON.parse(textOf(held));
    expect({ status, kind, shown }).toEqual({
      status: 'confirmation_required',
      kind: 'human_confirm',
      shown: { text: 'hello' },
    });

    const confirm = () =>
      client.callTool({ name: 'patch_confirm_action', arguments: { confirmation_token: token } });
    expect(JSON.parse(textOf(await confirm())).status).toBe('pending');
    const approved = await toolwharf(['approvals', 'approve', token, ...stateFlag]);
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('may run once') });
    const ran = await confirm();
    expect(ran.isError).toBeUndefined();
    expect(JSON.parse(textOf(ran))).toEqual({ sent: 'hello' });
    // A second confirmation returns the stored answer. The same call, made again, is held again.
    expect((await confirm())._meta).toEqual(ran._meta);
    const again = await client.callTool({ name: 'send_note', arguments: { text: 'hello' } });
    expect(again.structuredContent).toMatchObject({ status: 'confirmation_required' });
    expect((await toolwharf(['approvals', 'approve', token, ...stateFlag])).code).toBe(5);

    const tail = await toolwharf(['audit', 'tail', '100', '--json', ...stateFlag]);
    const entries = tail.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
    const intents = entries.filter((it) => it.kind === 'intent' && it.body.tool === 'send_note/send_note');
    expect(intents).toHaveLength(1);
    expect(intents[0].body.approval).toBe(token);
    const outcome = entries.find((it) => it.kind === 'outcome' && it.body.callId === intents[0].body.callId);
    expect(outcome.seq).toBeGreaterThan(intents[0].seq);
    expect(tail.stdout).not.toContain('hello');

    const verified = await toolwharf(['audit', 'verify', '--json', ...stateFlag]);
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ schema: 'toolwharf/audit@1', ok: true });

    await client.close();
    // The host that the shim started ends by itself after the last client left.
    await until(() => !existsSync(join(state.path, 'state', 'host.sock')));
  });

  test('7: the same works from TypeScript', async () => {
    const own = temporaryFolder();
    const host = await createHost({ state: join(own.path, 'state') });
    const session = await host.session({
      directories: [tools.path],
      allow: [`net:127.0.0.1:${server.port}`],
    });
    expect((await session.tools()).map((it) => it.name)).toEqual([
      'order-desk/find_order',
      'send_note/send_note',
      'word_count/word_count',
    ]);
    expect(await session.call({ tool: 'word_count', arguments: { text: 'a b c d' } })).toMatchObject({
      status: 'ok',
      result: { words: 4 },
    });
    expect(await session.call({ tool: 'order-desk/find_order', arguments: { number: '9' } })).toMatchObject({
      status: 'ok',
      result: { order: '9' },
    });
    const held = await session.call({ tool: 'send_note', arguments: { text: 'hi' } });
    if (held.status !== 'confirmation_required') throw new Error(`not held: ${held.status}`);
    await host.approvals.approve(held.confirmation.token, 'tester');
    expect(await session.call({ tool: 'send_note', arguments: { text: 'hi' } })).toMatchObject({
      status: 'ok',
      result: { sent: 'hi' },
    });
    expect(await session.call({ tool: 'send_note', arguments: { text: 'hi' } })).toMatchObject({
      status: 'confirmation_required',
    });
    expect(await host.verifyAudit()).toMatchObject({ ok: true });
    await host.close();
    own.remove();
  });
});

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
}
