import type { JsonObject } from '../../../model/json.js';
import type { Signal } from '../../../model/signal.js';
import type { Held, Hold } from '../calls.js';
import type { Answered, Dispatch } from '../dispatch.js';
import { canAsk } from '../hold.js';
import { type Reply, type Request, success, successText } from '../message.js';
import { type ProgressReport, reportProgress } from '../progress.js';
import { Asked2026 } from './asked.js';
import { metaKeys, readEnvelope, revision2026 } from './envelope.js';
import { askBack } from './held.js';
import { Listening } from './listen.js';

export interface Request2026Options {
  readonly signal: Signal;
  /** Aborted when the client can bring no more requests; absent where nobody can tell. */
  readonly gone?: Signal;
  /** Takes what belongs to the request and comes before its reply. */
  readonly onNotification: (message: JsonObject) => void;
}

export interface Era2026 {
  request(request: Request, options: Request2026Options): Promise<Reply | undefined>;
  close(): void;
}

/** How long a client may keep what it was told, in milliseconds; everything here is for its caller alone. */
const lifetimes: Readonly<Record<string, number>> = {
  'server/discover': 600_000,
  'tools/list': 5_000,
  'prompts/list': 5_000,
  'resources/list': 5_000,
  'resources/templates/list': 600_000,
  'resources/read': 60_000,
};

/** Requests that stand for themselves: nothing is remembered from one to the next. */
export function createEra2026(dispatch: Dispatch): Era2026 {
  const { options, serverInfo, capabilities, instructions } = dispatch;
  const listening = new Listening(dispatch);
  const asked = new Asked2026(options);
  const identity = { [metaKeys.serverInfo]: serverInfo };
  const identityText = JSON.stringify(identity);

  const complete = (method: string, result: JsonObject): JsonObject => ({
    resultType: 'complete',
    ...caching(method),
    ...result,
    _meta: { ...(result._meta as JsonObject | undefined), ...identity },
  });

  const textOf = (method: string, answered: Answered): string => {
    if (answered.kind === 'result') return JSON.stringify(complete(method, answered.result));
    const { key, page } = answered;
    const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
    const hints = JSON.stringify({ resultType: 'complete', ...caching(method) }).slice(0, -1);
    return `${hints},"${key}":[${page.items}]${next},"_meta":${identityText}}`;
  };

  const answer = async (
    request: Request,
    how: Request2026Options,
    onProgress: ProgressReport['tell'],
  ): Promise<Reply | undefined> => {
    const { id, method, params } = request;
    const client = readEnvelope(method, params);
    if (method === 'server/discover') {
      const discovered = { supportedVersions: [revision2026], capabilities, instructions };
      return success(id, complete(method, discovered));
    }
    if (method === 'subscriptions/listen') {
      const ended = await listening.listen(request, how);
      return ended === undefined ? undefined : success(id, complete(method, ended));
    }
    const isAskable = canAsk(client);
    const plain = {
      method,
      params,
      shape: 'any',
      onHeld: async (hold: Hold): Promise<Held> =>
        isAskable && dispatch.patience.take() ? askBack(options, params, hold) : { kind: 'told' },
    } as const;
    const answered =
      method === 'tools/call'
        ? await asked.call(params, {
            ...how,
            onProgress,
            isAskable,
            mayAsk: () => dispatch.patience.take(),
            make: (side) => dispatch.answer({ ...plain, ...side }),
          })
        : await dispatch.answer({ ...plain, signal: how.signal, onProgress });
    return successText(id, textOf(method, answered));
  };

  return {
    async request(request, how) {
      const report = reportProgress(request.params._meta, how.onNotification);
      try {
        const reply = await answer(request, how, report.tell);
        return how.signal.aborted ? undefined : reply;
      } catch (error) {
        return how.signal.aborted ? undefined : dispatch.failed(request.id, error);
      } finally {
        report.stop();
      }
    },
    close() {
      listening.close();
      asked.close();
    },
  };
}

function caching(method: string): JsonObject {
  const ttlMs = lifetimes[method];
  return ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' };
}
