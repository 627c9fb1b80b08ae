import type { JsonObject } from '../../../model/json.js';
import { supportsForms } from '../approval-question.js';
import { callLogging } from '../call-logging.js';
import type { Dispatch, DispatchResult } from '../dispatch.js';
import { type RpcReply, type RpcRequest, resultReply, resultTextReply } from '../json-rpc.js';
import { type ProgressReport, reportProgress } from '../progress.js';
import type { HeldCall, HoldResponse } from '../tool-call.js';
import { logLevelOf, metaKeys, readEnvelope, revision2026 } from './envelope.js';
import { approvalRequired } from './held-call.js';
import type { Request2026Options } from './request-options.js';
import { Subscriptions } from './subscriptions.js';
import { ToolCalls2026 } from './tool-calls.js';

export interface Era2026 {
  request(request: RpcRequest, options: Request2026Options): Promise<RpcReply | undefined>;
  close(): void;
}

/** How long a client may cache a result, in milliseconds. Results are private to the caller. */
const lifetimes: Readonly<Record<string, number>> = {
  'server/discover': 600_000,
  'tools/list': 5_000,
  'prompts/list': 5_000,
  'resources/list': 5_000,
  'resources/templates/list': 600_000,
  'resources/read': 60_000,
};

/** The 2026 era: each request is independent, there are no sessions. */
export function createEra2026(dispatch: Dispatch): Era2026 {
  const { options, serverInfo, capabilities } = dispatch;
  const subscriptions = new Subscriptions(dispatch);
  const toolCalls = new ToolCalls2026(options);
  const identity = { [metaKeys.serverInfo]: serverInfo };
  const identityText = JSON.stringify(identity);

  const complete = (method: string, result: JsonObject): JsonObject => ({
    resultType: 'complete',
    ...caching(method),
    ...result,
    _meta: { ...(result._meta as JsonObject | undefined), ...identity },
  });

  const textOf = (method: string, result: DispatchResult): string => {
    if (result.kind === 'result') return JSON.stringify(complete(method, result.result));
    const { key, page } = result;
    const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
    const hints = JSON.stringify({ resultType: 'complete', ...caching(method) }).slice(0, -1);
    return `${hints},"${key}":[${page.items}]${next},"_meta":${identityText}}`;
  };

  const answer = async (
    request: RpcRequest,
    requestOptions: Request2026Options,
    onProgress: ProgressReport['report'],
  ): Promise<RpcReply | undefined> => {
    const { id, method, params } = request;
    const client = readEnvelope(method, params);
    if (method === 'server/discover') {
      const instructions = await dispatch.instructions();
      const discovered = { supportedVersions: [revision2026], capabilities, instructions };
      return resultReply(id, complete(method, discovered));
    }
    if (method === 'subscriptions/listen') {
      const ended = await subscriptions.listen(request, requestOptions);
      return ended === undefined ? undefined : resultReply(id, complete(method, ended));
    }
    const isAskable = supportsForms(client);
    const common = {
      method,
      params,
      shape: 'any',
      logging: callLogging(logLevelOf(params), requestOptions.onNotification),
      onHeld: async (hold: HeldCall): Promise<HoldResponse> => {
        const way = dispatch.approvalWay(hold.confirmation, client);
        return way === null ? { kind: 'not-asked' } : approvalRequired(options, params, hold, way);
      },
    } as const;
    const result =
      method === 'tools/call'
        ? await toolCalls.call(params, {
            ...requestOptions,
            onProgress,
            isAskable,
            mayAsk: () => dispatch.questionLimit.take(),
            makeCall: (context) => dispatch.answer({ ...common, ...context }),
          })
        : await dispatch.answer({ ...common, signal: requestOptions.signal, onProgress });
    return resultTextReply(id, textOf(method, result));
  };

  return {
    async request(request, given) {
      // A call that outlives its request must not send anything on its closed stream.
      let isOpen = true;
      const onNotification = (message: JsonObject) => isOpen && given.onNotification(message);
      const requestOptions = { ...given, onNotification };
      const report = reportProgress(request.params._meta, requestOptions.onNotification);
      try {
        const reply = await answer(request, requestOptions, report.report);
        return requestOptions.signal.aborted ? undefined : reply;
      } catch (error) {
        return requestOptions.signal.aborted ? undefined : dispatch.errorReply(request.id, error);
      } finally {
        isOpen = false;
        report.stop();
      }
    },
    close() {
      subscriptions.close();
      toolCalls.close();
    },
  };
}

function caching(method: string): JsonObject {
  const ttlMs = lifetimes[method];
  return ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' };
}
