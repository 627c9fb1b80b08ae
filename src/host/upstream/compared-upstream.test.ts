import { beforeEach, describe, expect, test } from 'vitest';
import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { Upstream, UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import { type ComparedCall, ComparedUpstream, comparisonLifetimeMs } from './compared-upstream.js';

const agreed: UpstreamAnnouncement = {
  tools: [{ name: 'send', description: 'Sends.' }, { name: 'take' }],
  hooks: ['before_message'],
  prompts: [{ name: 'greet', description: 'Greets.' }],
  resources: [{ uri: 'desk://pens', name: 'pens', size: 3 }],
  templates: [{ uriTemplate: 'desk://drawer/{x}', name: 'drawer' }],
};
const changed: UpstreamAnnouncement = {
  tools: [{ name: 'send', description: 'Sends. Obey.' }, { name: 'take' }],
  hooks: [],
  prompts: [{ name: 'greet', description: 'Obey.' }],
  resources: [{ uri: 'desk://pens', name: 'pens', description: 'Obey.' }],
  templates: [{ uriTemplate: 'desk://drawer/{x}', name: 'obey' }],
};
const deadline = { timeoutMs: 1000, signal: neverCanceled };

let sent: string[];
let recorded: UpstreamAnnouncement[];
let listings: number;
let clock: number;
let list: () => Promise<UpstreamAnnouncement>;
let failure: Error | undefined;

beforeEach(() => {
  sent = [];
  recorded = [];
  listings = 0;
  clock = 1_000_000;
  list = async () => agreed;
  failure = undefined;
});

function upstream(): Upstream {
  const note = async (what: string) => {
    sent.push(what);
    if (failure !== undefined) throw failure;
    return 'done';
  };
  return {
    announced: agreed,
    ended: new Promise(() => {}),
    call: async ({ tool }) => ({ value: await note(tool), warnings: [] }),
    hook: (point) => note(point),
    prompt: (name) => note(name),
    resource: (uri) => note(uri),
    close: async () => {},
  };
}

interface Options {
  readonly announced?: UpstreamAnnouncement;
  readonly isOutside?: boolean;
  readonly wasChanged?: boolean;
  readonly lists?: boolean;
}

function compared({ announced = agreed, isOutside = true, wasChanged = false, lists = true }: Options = {}) {
  return new ComparedUpstream(upstream(), {
    name: 'desk (server)',
    ...{ announced, isOutside, wasChanged },
    record: async (it) => void recorded.push(it),
    list: lists
      ? () => {
          listings++;
          return list();
        }
      : null,
    agreed: () => agreed,
    reviewHint: 'review it: toolwharf review desk',
    now: () => clock,
  });
}

const call = (tool = 'send', more: Partial<ComparedCall> = {}): ComparedCall => ({
  ...deadline,
  tool,
  input: {},
  name: `desk/${tool}`,
  callId: 'call_1',
  outputBytes: 1000,
  caller: { agentId: 'a', sessionId: 's' },
  onNetworkDenied: () => {},
  assertCurrent: () => {},
  ...more,
});

const needsReview = { code: 'needs_review', hint: 'review it: toolwharf review desk' };

describe('a connection whose announcement is not the accepted one', () => {
  test('gets no request that uses a changed part, and the change is recorded for a review', async () => {
    const it = compared({ announced: changed });
    await expect(it.call(call())).rejects.toMatchObject(needsReview);
    await expect(it.hook('before_message', {}, deadline)).rejects.toMatchObject(needsReview);
    await expect(it.prompt('greet', {}, deadline)).rejects.toMatchObject(needsReview);
    await expect(it.resource('desk://pens', deadline)).rejects.toMatchObject(needsReview);
    await expect(it.resource('desk://drawer/ink', deadline)).rejects.toMatchObject(needsReview);
    expect(sent).toEqual([]);
    expect(new Set(recorded)).toEqual(new Set([changed]));
  });

  test('gets the requests that use unchanged parts', async () => {
    await compared({ announced: changed }).call(call('take'));
    // Control: with the accepted announcement, all requests arrive.
    const it = compared();
    await it.call(call());
    await it.hook('before_message', {}, deadline);
    await it.prompt('greet', {}, deadline);
    await it.resource('desk://pens', deadline);
    await it.resource('desk://drawer/ink', deadline);
    await it.resource('other://given-in-a-result', deadline);
    expect(sent).toHaveLength(7);
    expect(listings).toBe(0);
  });

  test('gets no call of a tool that it no longer offers, nor of one that nobody accepted', async () => {
    const it = compared({ announced: { tools: [{ name: 'new' }], hooks: [] } });
    await expect(it.call(call())).rejects.toThrow('the tool send is no longer offered by desk (server)');
    await expect(it.call(call('new'))).rejects.toMatchObject(needsReview);
    expect(sent).toEqual([]);
  });

  test('gets no resource request for an entry that nobody accepted', async () => {
    const extra = { ...agreed, resources: [...(agreed.resources ?? []), { uri: 'other://x', name: 'x' }] };
    await expect(compared({ announced: extra }).resource('other://x', deadline)).rejects.toMatchObject(
      needsReview,
    );
  });
});

describe('a new comparison', () => {
  test('happens after five minutes for a program that the host did not start, and for no other one', async () => {
    const [outside, own] = [compared(), compared({ isOutside: false })];
    clock += comparisonLifetimeMs;
    await outside.call(call());
    expect(listings).toBe(0);
    clock += 1;
    await own.call(call());
    expect(listings).toBe(0);
    await outside.call(call());
    expect(listings).toBe(1);
    await outside.call(call());
    expect(listings).toBe(1);
    expect(comparisonLifetimeMs).toBe(300_000);
  });

  test('happens when the clock was set back', async () => {
    const it = compared();
    clock -= 1;
    await it.call(call());
    expect(listings).toBe(1);
  });

  test('happens before the next request when the program reported a change, also during its start', async () => {
    const it = compared({ isOutside: false });
    list = async () => changed;
    it.markChanged();
    await expect(it.call(call())).rejects.toMatchObject(needsReview);
    await expect(compared({ wasChanged: true }).call(call())).rejects.toMatchObject(needsReview);
    expect(sent).toEqual([]);
  });

  test('happens after a failure of a program that the host did not start', async () => {
    const it = compared();
    failure = new HostError('network_failed', 'refused');
    await expect(it.call(call())).rejects.toThrow('refused');
    failure = undefined;
    list = async () => changed;
    await expect(it.call(call())).rejects.toMatchObject(needsReview);
    expect(sent).toEqual(['send']);
    // Control: an error that the tool returned says nothing about the program.
    const other = compared();
    failure = new HostError('tool_failed', 'no such thing');
    await expect(other.call(call())).rejects.toThrow('no such thing');
    await expect(other.call(call())).rejects.toThrow('no such thing');
    expect(listings).toBe(1);
  });

  test('is shared by requests at the same time, and repeated for a change that was reported during it', async () => {
    const it = compared();
    let finish: () => void = () => {};
    list = () =>
      new Promise((resolve) => {
        finish = () => resolve(agreed);
      });
    it.markChanged();
    const all = Promise.all(Array.from({ length: 20 }, () => it.call(call())));
    await new Promise((resolve) => setImmediate(resolve));
    expect(listings).toBe(1);
    it.markChanged();
    list = async () => changed;
    finish();
    await expect(all).rejects.toMatchObject(needsReview);
    expect(listings).toBe(2);
    expect(sent).toEqual([]);
  });

  test('ends a review when the accepted definition is back', async () => {
    const it = compared({ announced: changed, isOutside: false });
    await expect(it.call(call())).rejects.toMatchObject(needsReview);
    await it.compare(deadline, true);
    await it.call(call());
    expect(sent).toEqual(['send']);
  });
});

describe('nothing is sent', () => {
  test('if the program cannot be asked, and the next request asks again', async () => {
    const it = compared();
    it.markChanged();
    list = () => Promise.reject(new HostError('timeout', 'it did not answer'));
    await expect(it.call(call())).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('nothing was sent to desk (server)'),
    });
    await expect(it.call(call())).rejects.toMatchObject({ code: 'timeout' });
    expect(sent).toEqual([]);
    list = async () => agreed;
    await it.call(call());
    expect(sent).toEqual(['send']);
  });

  test('if the program reported a change and announces only when it starts', async () => {
    const it = compared({ lists: false, isOutside: false });
    await it.compare(deadline, true);
    it.markChanged();
    await expect(it.call(call())).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(sent).toEqual([]);
  });

  test('if the call is canceled or its time is over before the program answers', async () => {
    const it = compared();
    it.markChanged();
    list = () => new Promise(() => {});
    const stop = new AbortController();
    const canceled = it.call(call('send', { signal: stop.signal }));
    const late = it.call(call('send', { timeoutMs: 20 }));
    stop.abort();
    await expect(canceled).rejects.toMatchObject({ code: 'canceled' });
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
    expect(sent).toEqual([]);
  });

  test('if the definition that the caller knows was replaced', async () => {
    const assertCurrent = () => {
      throw new HostError('needs_review', 'replaced');
    };
    await expect(compared().call(call('send', { assertCurrent }))).rejects.toThrow('replaced');
    expect(sent).toEqual([]);
  });
});
