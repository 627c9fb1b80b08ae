// Servers of the official SDK in each era: over lines in a real sandbox, and over HTTP on this machine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Progress } from '../src/run/upstream/upstream.js';
import { httpDesk } from './mcp-http-desk.js';
import {
  asked,
  closeUpstreams,
  deskScript,
  progressOf,
  reaching,
  type UpstreamBench,
  type UpstreamOptions,
  upstream,
} from './mcp-upstream.js';
import { until } from './toolwharf.js';

afterAll(closeUpstreams);

const eras = [
  { speaks: '2025', revision: '2025-11-25', over: 'lines' },
  { speaks: '2026', revision: '2026-07-28', over: 'lines' },
  { speaks: 'both', revision: '2026-07-28', over: 'lines' },
  { speaks: '2025', revision: '2025-11-25', over: 'HTTP' },
  { speaks: '2026', revision: '2026-07-28', over: 'HTTP' },
  { speaks: 'both', revision: '2026-07-28', over: 'HTTP' },
] as const;

describe.each(eras)('a server that speaks $speaks over $over', ({ speaks, revision, over }) => {
  const desk = async (options: Partial<UpstreamOptions> = {}) =>
    over === 'lines'
      ? upstream({ script: await deskScript(), words: [speaks], ...options })
      : upstream({ ...reaching(await httpDesk(speaks)), ...options });
  let open: UpstreamBench;
  beforeAll(async () => {
    open = await desk({ roots: [{ source: '/usr/share', target: '/usr/share', writable: false }] });
  });

  test('announces everything, page by page, unchanged', async () => {
    const { remote, log } = open;
    const { announced } = remote;
    expect(announced).toMatchObject({
      revision,
      version: '3.2.1',
      instructions: 'Add before you say.',
      hooks: [],
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
      resources: [{ uri: 'desk://drawer/pens', mimeType: 'text/plain' }],
      templates: [{ uriTemplate: 'desk://drawer/{thing}' }],
    });
    expect(announced.tools.map((it) => it.name)).toHaveLength(13);
    expect(announced.tools[0]).toEqual({
      name: 'add',
      title: 'Add numbers',
      description: 'Adds two numbers.',
      input: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#/$defs/n' } },
        required: ['a', 'b'],
        $defs: { n: { type: 'integer' } },
      },
      output: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
      annotations: { readOnlyHint: true, title: 'Add numbers' },
      meta: { 'desk/color': 'green' },
    });
    if (over === 'lines') await until(() => log.includes('the desk is open'));
  });

  test('answers with a structured value, parts and members of its own', async () => {
    const { remote } = open;
    expect(await remote.call(asked('add', { a: 2, b: 3 }))).toEqual({
      value: { sum: 5 },
      parts: [{ type: 'text', text: '{"sum":5}' }],
      meta: { 'desk/took': 3 },
      warnings: [],
    });
    const picture = await remote.call(asked('picture'));
    expect(picture.parts?.map((it) => it.type)).toEqual(['text', 'image', 'resource_link', 'resource']);
    expect(picture.parts?.[2]).toEqual({
      type: 'resource_link',
      uri: 'desk://drawer/pens',
      name: 'pens',
      _meta: { 'desk/a': 1 },
    });
    expect(picture.meta).toEqual({ 'desk/took': 4 });
    expect((await remote.call(asked('say', { text: 'just words' }))).value).toBe('just words');
    // Neither fits a header as it is.
    expect((await remote.call(asked('gruß', { land: ' Österreich ' }))).value).toBe('Hallo  Österreich ');
  });

  test('says how far it is to whom asks for it', async () => {
    const { remote } = open;
    const steps: Progress[] = [];
    const done = await remote.call(asked('steps', {}, { onProgress: progressOf(steps) }));
    expect(done.value).toBe('done');
    expect(steps).toEqual([1, 2, 3].map((it) => ({ progress: it, total: 3, message: `step ${it}` })));
    expect((await remote.call(asked('steps'))).value).toBe('nobody listens');
  });

  test('fails in its own words', async () => {
    const { remote } = open;
    await expect(remote.call(asked('fail'))).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('there are no pens left'),
    });
  });

  test('hears of a call that was given up, and of one that took too long', async () => {
    const { remote } = open;
    const stop = new AbortController();
    const waiting = remote.call(asked('wait', {}, { signal: stop.signal }));
    waiting.catch(() => {});
    const count = async () => (await remote.call(asked('canceled'))).value;
    await until(async () => (await count()) === '1 wait, 0 gave up');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    await expect(remote.call(asked('wait', {}, { timeoutMs: 200 }))).rejects.toMatchObject({
      code: 'timeout',
    });
    await until(async () => (await count()) === '0 wait, 2 gave up');
  });

  test('gets an answer to everything that it asks', async () => {
    const { remote } = open;
    expect((await remote.call(asked('consult'))).value).toBe('decline');
    const onAsk = async (question: object) => {
      expect(question).toMatchObject({ message: 'Which color?' });
      return { action: 'accept', content: { color: 'blue' } };
    };
    expect((await remote.call(asked('consult', {}, { onAsk }))).value).toBe('accept blue');
    const think = remote.call(asked('think')).then(
      (it) => String(it.value),
      (error: Error) => error.message,
    );
    expect(await think).toMatch(/sampling/i);
    const roots = remote.call(asked('roots')).then(
      (it) => it.value,
      (error: Error) => error.message,
    );
    // What answers elsewhere has no workspace of ours; a server of the newer era does not even ask then.
    if (over === 'lines') expect(await roots).toEqual([{ uri: 'file:///usr/share', name: 'workspace' }]);
    else if (speaks === '2025') expect(await roots).toEqual([]);
    else expect(await roots).toMatch(/roots\/list/);
  });

  test('does not wait for an answer longer than for its call', async () => {
    const { remote } = open;
    const onAsk = () => new Promise<never>(() => {});
    await expect(remote.call(asked('consult', {}, { onAsk, timeoutMs: 300 }))).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('0.3 s'),
    });
    const stop = new AbortController();
    const leaving = () => {
      stop.abort();
      return onAsk();
    };
    const waiting = remote.call(asked('consult', {}, { onAsk: leaving, signal: stop.signal }));
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
  });

  test('gives prompts and resources', async () => {
    const { remote } = open;
    const patience = { timeoutMs: 5000, signal: new AbortController().signal };
    expect(await remote.prompt?.('greet', { who: 'Ada' }, patience)).toMatchObject({
      messages: [{ content: { text: 'Greet Ada.' } }, { role: 'assistant' }],
    });
    expect(await remote.resource?.('desk://drawer/ink', patience)).toMatchObject({
      contents: [{ uri: 'desk://drawer/ink', text: 'all of desk://drawer/ink' }],
    });
  });

  test('tells that its tools are others, once', async () => {
    const { remote, changes } = open;
    await Promise.all([remote.call(asked('grow')), remote.call(asked('grow'))]);
    await until(() => changes() > 0);
    await remote.call(asked('say', { text: 'x' }));
    expect(changes()).toBe(1);
  });

  test('is asked the same way the next time, and ends when it is told to', async () => {
    const { remote } = await desk({ prior: revision });
    expect(remote.announced.revision).toBe(revision);
    const waiting = remote.call(asked('wait'));
    waiting.catch(() => {});
    await remote.close('nobody needs it');
    expect(await remote.ended).toEqual({ kind: 'asked', reason: 'nobody needs it' });
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    await expect(remote.call(asked('say'))).rejects.toMatchObject({ code: 'canceled' });
  });
});

test('a verdict that is no longer true is found out anew', async () => {
  const script = await deskScript();
  const older = await upstream({ script, words: ['2025'], prior: '2026-07-28' });
  expect(older.remote.announced.revision).toBe('2025-11-25');
  const newer = await upstream({ script, words: ['2026'], prior: '2025-11-25' });
  expect(newer.remote.announced.revision).toBe('2026-07-28');
});
