// Tools that fill a prompt template, and tools that call other tools.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import {
  failureOf,
  findagent,
  inputOf,
  pythonTool,
  resultOf,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const text = { type: 'string' };

const compose = (name: string, agent: string, tool: string, rest: JsonObject = {}) => ({
  name,
  description: 'Ask next door.',
  input_schema: inputOf({ text }),
  action: { type: 'compose', agent, tool },
  ...rest,
});

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  const links = Array.from({ length: 12 }, (_, index) => index);
  bench = await workbench({
    'count.py': pythonTool({ name: 'count', body: ['return {"length": len(text)}'] }),
    'fails.py': pythonTool({ name: 'fails', body: ['raise ValueError("no " + text)'] }),
    'asks.py': pythonTool({ name: 'asks', humanConfirm: true, body: ['return {"done": text}'] }),
    'prompts/findagent.json': findagent('Prompt Agent', {
      kind: 'static-recipe',
      tools: [
        {
          name: 'letter',
          description: 'A letter.',
          input_schema: inputOf({
            to: text,
            items: { type: 'array', default: [1, 'two'] },
            from: { type: 'string', default: 'me' },
            left: { type: 'string', default: '' },
          }),
          action: { type: 'prompt-template', template: 'Dear {to}, {items} from {from}.{left}' },
        },
      ],
    }),
    'outer/findagent.json': findagent('Outer', {
      tools: [
        compose('length', 'count', 'count'),
        compose('strict', 'count', 'count', {
          output_schema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
        }),
        compose('failing', 'fails', 'fails'),
        compose('asking', 'asks', 'asks'),
        compose('nowhere', 'not-there', 'tool'),
        compose('no_tool', 'count', 'weigh'),
        compose('wrong_input', 'count', 'count', { input_schema: inputOf({ other: text }) }),
        compose('letter', 'Prompt Agent', 'letter', { input_schema: inputOf({ to: text }) }),
        compose('ping', 'inner', 'pong'),
      ],
    }),
    'both/findagent.json': findagent('Both', {
      tools: [compose('asking', 'asks', 'asks')],
      guardrails: { actions: { asking: { approval: 'human' } } },
    }),
    'inner/findagent.json': findagent('Inner', { tools: [compose('pong', 'outer', 'ping')] }),
    'chain/findagent.json': findagent('Chain', {
      tools: [
        ...links.map((index) => compose(`link_${index}`, 'chain', `link_${index + 1}`)),
        compose(`link_${links.length}`, 'count', 'count'),
      ],
    }),
  });
  session = await bench.session();
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const call = (tool: string, given: JsonObject = { text: 'four' }) => session.call({ tool, arguments: given });

describe('prompt templates', () => {
  test('a prompt tool returns its template with the values filled in', async () => {
    expect(await resultOf(call('prompt-agent/letter', { to: 'A. {from} $& "q"\nB' }))).toBe(
      'Dear A. {from} $& "q"\nB, [1,"two"] from me.',
    );
  });

  test('a prompt tool can be called through another agent', async () => {
    expect(await resultOf(call('outer/letter', { to: 'you' }))).toBe('Dear you, [1,"two"] from me.');
  });
});

describe('tools that call another tool', () => {
  test('arguments and answer are passed through, and the audit log has both calls', async () => {
    expect(await resultOf(call('outer/length'))).toEqual({ length: 4 });
    const tail = await bench.host.auditTail(4);
    const intents = tail.filter((it) => it.kind === 'intent').map((it) => it.body.tool);
    expect(intents).toEqual(['outer/length', 'count/count']);
    expect(tail.filter((it) => it.kind === 'outcome').map((it) => it.body.status)).toEqual(['ok', 'ok']);
  });

  test('the answer is checked against the schema of the outer tool', async () => {
    const wrong = await failureOf(call('outer/strict'));
    expect(wrong.code).toBe('invalid_output');
    expect(wrong.message).toContain('outer/strict');
    expect(wrong.message).toContain('words');
  });

  test('a failure of the inner tool is reported with its message', async () => {
    const failed = await failureOf(call('outer/failing'));
    expect(failed.code).toBe('tool_failed');
    expect(failed.message).toContain('fails/fails');
    expect(failed.message).toContain('no four');
  });

  test('arguments are checked against the schema of the inner tool too', async () => {
    const wrong = await failureOf(call('outer/wrong_input', { other: 'x' }));
    expect(wrong.code).toBe('invalid_input');
    expect(wrong.message).toContain('count/count');
  });

  test('the error names an inner tool that does not exist', async () => {
    const nowhere = await failureOf(call('outer/nowhere'));
    expect(nowhere.code).toBe('unavailable');
    expect(nowhere.message).toContain('not-there/tool');
    expect((await failureOf(call('outer/no_tool'))).message).toContain('count/weigh');
  });

  test('a disabled inner package is not called', async () => {
    await bench.host.switches.set('count', false, 'test');
    const off = await failureOf(call('outer/length'));
    await bench.host.switches.set('count', true, 'test');
    expect(off).toMatchObject({ status: 'denied', code: 'disabled' });
    expect(await resultOf(call('outer/length'))).toEqual({ length: 4 });
  });
});

describe('loops and long chains', () => {
  test('a call that leads back to itself is denied, and the error shows the chain', async () => {
    const circle = await failureOf(call('outer/ping'));
    expect(circle.status).toBe('denied');
    expect(circle.message).toContain('outer/ping → inner/pong → outer/ping');
    expect(circle.message).toContain('in a loop');
  });

  test('a chain of too many tools is denied, and a shorter one runs', async () => {
    const deep = await failureOf(call('chain/link_0'));
    expect(deep.status).toBe('denied');
    expect(deep.message).toMatch(/chain\/link_0 leads to a chain of more than \d+ tools/);
    expect(await resultOf(call('chain/link_8'))).toEqual({ length: 4 });
  });
});

describe('inner tools that need approval', () => {
  test('the inner call is held, not the outer one, and runs after approval', async () => {
    const held = await call('outer/asking', { text: 'first' });
    if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
    expect(held.tool).toBe('outer/asking');
    expect(held.confirmation).toMatchObject({ tool: 'asks/asks', arguments: { text: 'first' } });
    const { token } = held.confirmation;
    expect(await call('outer/asking', { text: 'first' })).toMatchObject({ confirmation: { token } });
    await bench.host.approvals.approve(token, 'person');
    expect(await resultOf(call('outer/asking', { text: 'first' }))).toEqual({ done: 'first' });
    // One approval is good for one run.
    expect(await call('outer/asking', { text: 'first' })).toMatchObject({ status: 'confirmation_required' });
  });

  test('if both tools need approval, a person approves each of them once', async () => {
    const asked: string[] = [];
    let answer = await call('both/asking', { text: 'twice' });
    while (answer.status === 'confirmation_required' && asked.length < 4) {
      asked.push(answer.confirmation.tool);
      await bench.host.approvals.approve(answer.confirmation.token, 'person');
      answer = await call('both/asking', { text: 'twice' });
    }
    expect(await resultOf(answer)).toEqual({ done: 'twice' });
    expect(asked).toEqual(['both/asking', 'asks/asks']);
    // Both approvals are used up.
    expect(await call('both/asking', { text: 'twice' })).toMatchObject({ status: 'confirmation_required' });
  });

  test('the agent can run the approved inner call by its token', async () => {
    const held = await call('outer/asking', { text: 'second' });
    if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
    const { token } = held.confirmation;
    await bench.host.approvals.approve(token, 'person');
    const answer = await session.call({ tool: 'patch_confirm_action', arguments: { token } });
    expect(await resultOf(answer)).toEqual({ done: 'second' });
  });

  test('an inner call that a person denied stays denied', async () => {
    const held = await call('outer/asking', { text: 'third' });
    if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
    await bench.host.approvals.deny(held.confirmation.token, 'person');
    const again = await session.call({
      tool: 'patch_confirm_action',
      arguments: { token: held.confirmation.token },
    });
    expect(again).toMatchObject({ status: 'denied', error: { code: 'approval_denied' } });
  });
});
