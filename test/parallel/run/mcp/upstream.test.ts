// Servers of the official SDK in each era: over lines in a real sandbox, and over HTTP on loopback.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Progress } from '../../../../src/run/run.js';
import { httpSampleServer } from '../../../support/http-sample-server.js';
import {
  asked,
  closeUpstreams,
  connectUpstream,
  progressOf,
  reaching,
  sampleServerScript,
  type UpstreamBench,
  type UpstreamOptions,
} from '../../../support/mcp-upstream.js';
import { until } from '../../../support/toolwharf.js';

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
      ? connectUpstream({ script: await sampleServerScript(), args: [speaks], ...options })
      : connectUpstream({ ...reaching(await httpSampleServer(speaks)), ...options });
  let open: UpstreamBench;
  beforeAll(async () => {
    open = await desk({ roots: [{ source: '/usr/share', target: '/usr/share', writable: false }] });
  });

  test('announces all its lists, page by page and unchanged', async () => {
    const { upstream, log } = open;
    const { announced } = upstream;
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

  test('answers with a structured value, content parts and metadata', async () => {
    const { upstream } = open;
    expect(await upstream.call(asked('add', { a: 2, b: 3 }))).toEqual({
      value: { sum: 5 },
      parts: [{ type: 'text', text: '{"sum":5}' }],
      structured: true,
      meta: { 'desk/took': 3 },
      warnings: [],
    });
    const picture = await upstream.call(asked('picture'));
    expect(picture.parts?.map((it) => it.type)).toEqual(['text', 'image', 'resource_link', 'resource']);
    expect(picture.parts?.[2]).toEqual({
      type: 'resource_link',
      uri: 'desk://drawer/pens',
      name: 'pens',
      _meta: { 'desk/a': 1 },
    });
    expect(picture.meta).toEqual({ 'desk/took': 4 });
    expect((await upstream.call(asked('say', { text: 'just words' }))).value).toBe('just words');
    // Neither value fits a header without encoding.
    expect((await upstream.call(asked('gruß', { land: ' Österreich ' }))).value).toBe('Hallo  Österreich ');
  });

  test('reports progress only if the call requests it', async () => {
    const { upstream } = open;
    const steps: Progress[] = [];
    const done = await upstream.call(asked('steps', {}, { onProgress: progressOf(steps) }));
    expect(done.value).toBe('done');
    expect(steps).toEqual([1, 2, 3].map((it) => ({ progress: it, total: 3, message: `step ${it}` })));
    expect((await upstream.call(asked('steps'))).value).toBe('progress not requested');
  });

  test('fails with its own message', async () => {
    const { upstream } = open;
    await expect(upstream.call(asked('fail'))).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('there are no pens left'),
    });
  });

  test('is notified of a canceled call and of a call that timed out', async () => {
    const { upstream } = open;
    const stop = new AbortController();
    const waiting = upstream.call(asked('wait', {}, { signal: stop.signal }));
    waiting.catch(() => {});
    const count = async () => (await upstream.call(asked('canceled'))).value;
    await until(async () => (await count()) === '1 wait, 0 gave up');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    await expect(upstream.call(asked('wait', {}, { timeoutMs: 200 }))).rejects.toMatchObject({
      code: 'timeout',
    });
    await until(async () => (await count()) === '0 wait, 2 gave up');
  });

  test('gets an answer to every request that it sends', async () => {
    const { upstream } = open;
    // A server of 2026 knows that nobody can be asked, as without the host.
    const alone = upstream.call(asked('consult')).then(
      (it) => String(it.value),
      (error: Error) => error.message,
    );
    expect(await alone).toMatch(/decline|elicitation/i);
    const onAsk = async (question: object) => {
      expect(question).toMatchObject({ message: 'Which color?' });
      return { action: 'accept', content: { color: 'blue' } };
    };
    expect((await upstream.call(asked('consult', {}, { onAsk }))).value).toBe('accept blue');
    const think = upstream.call(asked('think')).then(
      (it) => String(it.value),
      (error: Error) => error.message,
    );
    expect(await think).toMatch(/sampling/i);
    const roots = upstream.call(asked('roots')).then(
      (it) => it.value,
      (error: Error) => error.message,
    );
    // A server behind a URL has no workspace, and a server of the newer era does not ask for it then.
    if (over === 'lines') expect(await roots).toEqual([{ uri: 'file:///usr/share', name: 'workspace' }]);
    else if (speaks === '2025') expect(await roots).toEqual([]);
    else expect(await roots).toMatch(/roots\/list/);
  });

  test('an open question ends when its call times out or is canceled', async () => {
    const { upstream } = open;
    const onAsk = () => new Promise<never>(() => {});
    await expect(upstream.call(asked('consult', {}, { onAsk, timeoutMs: 300 }))).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('0.3 s'),
    });
    const stop = new AbortController();
    const leaving = () => {
      stop.abort();
      return onAsk();
    };
    const waiting = upstream.call(asked('consult', {}, { onAsk: leaving, signal: stop.signal }));
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
  });

  test('returns prompts and resources', async () => {
    const { upstream } = open;
    const deadline = { timeoutMs: 5000, signal: new AbortController().signal };
    expect(await upstream.prompt?.('greet', { who: 'Ada' }, deadline)).toMatchObject({
      messages: [{ content: { text: 'Greet Ada.' } }, { role: 'assistant' }],
    });
    expect(await upstream.resource?.('desk://drawer/ink', deadline)).toMatchObject({
      contents: [{ uri: 'desk://drawer/ink', text: 'all of desk://drawer/ink' }],
    });
  });

  test('reports several list changes once', async () => {
    const { upstream, changes } = open;
    await Promise.all([upstream.call(asked('grow')), upstream.call(asked('grow'))]);
    await until(() => changes() > 0);
    await upstream.call(asked('say', { text: 'x' }));
    expect(changes()).toBe(1);
  });

  test('reconnects with the known revision, and ends when it is closed', async () => {
    const { upstream } = await desk({ prior: revision });
    expect(upstream.announced.revision).toBe(revision);
    const waiting = upstream.call(asked('wait'));
    waiting.catch(() => {});
    await upstream.close('not needed anymore');
    expect(await upstream.ended).toEqual({ kind: 'requested', reason: 'not needed anymore' });
    await expect(waiting).rejects.toMatchObject({ code: 'canceled' });
    await expect(upstream.call(asked('say'))).rejects.toMatchObject({ code: 'canceled' });
  });
});

test('an outdated known revision is negotiated again', async () => {
  const script = await sampleServerScript();
  const older = await connectUpstream({ script, args: ['2025'], prior: '2026-07-28' });
  expect(older.upstream.announced.revision).toBe('2025-11-25');
  const newer = await connectUpstream({ script, args: ['2026'], prior: '2025-11-25' });
  expect(newer.upstream.announced.revision).toBe('2026-07-28');
});
