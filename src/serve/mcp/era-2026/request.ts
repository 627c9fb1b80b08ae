import type { ClientRequests } from '../../../host/host.js';
import { showsApps } from '../../../model/app-resource.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { tasksExtension } from '../../../model/tasks-extension.js';
import { callLogging } from '../call-logging.js';
import { clientRequestsOf } from '../client-requests.js';
import type { Dispatch, DispatchResult } from '../dispatch.js';
import { type RpcReply, type RpcRequest, resultReply, resultTextReply } from '../json-rpc.js';
import { missingCapability } from '../missing-capability.js';
import { type ProgressReport, reportProgress } from '../progress.js';
import { shownQuestion, supportsQuestions } from '../question-modes.js';
import { resultOf, TaskService } from '../tasks/task-service.js';
import type { HeldCall, HoldResponse } from '../tool-call.js';
import { logLevelOf, metaKeys, readEnvelope, revision2026 } from './envelope.js';
import { approvalRequired } from './held-call.js';
import type { Request2026Options } from './request-options.js';
import { Subscriptions } from './subscriptions.js';
import { declaresTasks, TaskMethods2026, tasksRequired, wantsTasks } from './task-methods.js';
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

/** Requests during which a server may ask the client something. */
const mayAsk = ['tools/call', 'prompts/get', 'resources/read'];

/** The 2026 era: each request is independent, there are no sessions. */
export function createEra2026(dispatch: Dispatch): Era2026 {
  const { options, serverInfo } = dispatch;
  const identity = { [metaKeys.serverInfo]: serverInfo };
  const identityText = JSON.stringify(identity);

  const complete = (method: string, result: JsonObject): JsonObject => ({
    resultType: 'complete',
    ...caching(method),
    ...result,
    _meta: { ...(result._meta as JsonObject | undefined), ...identity },
  });

  const tasks = new TaskService(dispatch);
  const subscriptions = new Subscriptions(dispatch, tasks);
  const toolCalls = new ToolCalls2026(options, tasks, (it) => complete('tools/call', resultOf(it)));
  const taskMethods = new TaskMethods2026(options, tasks);

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
      const { extensions = {}, ...capabilities } = await dispatch.capabilities(client);
      const offered = {
        ...capabilities,
        extensions: { ...(extensions as JsonObject), [tasksExtension]: {} },
      };
      const discovered = { supportedVersions: [revision2026], capabilities: offered, instructions };
      return resultReply(id, complete(method, discovered));
    }
    if (method === 'subscriptions/listen') {
      if (!declaresTasks(client) && wantsTasks(params)) throw tasksRequired();
      const ended = await subscriptions.listen(request, requestOptions);
      return ended === undefined ? undefined : resultReply(id, complete(method, ended));
    }
    const hasTasks = declaresTasks(client);
    if (taskMethods.has(method)) {
      if (!hasTasks) throw tasksRequired();
      return resultReply(
        id,
        complete(method, await taskMethods.answer(method, params, requestOptions.sessionName)),
      );
    }
    const shown = supportsQuestions(client) ? (it: JsonObject) => shownQuestion(it, client) : undefined;
    const requestsOf = (send: ClientRequests['send']) =>
      clientRequestsOf(client, dispatch.requestLimit, send);
    const isAskable = shown !== undefined || isObject(client.sampling) || isObject(client.roots);
    const common = {
      method,
      params,
      sessionName: requestOptions.sessionName,
      shape: 'any',
      showsApps: showsApps(client),
      declared: client,
      logging: callLogging(logLevelOf(params), requestOptions.onNotification),
      onHeld: async (hold: HeldCall): Promise<HoldResponse> => {
        const way = dispatch.approvalWay(hold.confirmation, client);
        return way === null ? { kind: 'not-asked' } : approvalRequired(options, params, hold, way);
      },
    } as const;
    const result = mayAsk.includes(method)
      ? await toolCalls.call(method, params, {
          ...requestOptions,
          onProgress,
          isAskable,
          shown,
          requestsOf,
          mayAsk: () => dispatch.questionLimit.take(),
          allowsTasks: hasTasks && method === 'tools/call',
          makeCall: ({ taskFor, ...context }) =>
            dispatch
              .answer({
                ...common,
                ...context,
                onHeld: async (hold) => {
                  const task = await taskFor?.(hold);
                  if (task === undefined) return common.onHeld(hold);
                  return task.decision(hold, dispatch.approvalWay(hold.confirmation, client));
                },
              })
              .catch((error: unknown) => {
                throw (error instanceof HostError && missingCapability(error.toolError, client)) || error;
              }),
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
      tasks.close();
    },
  };
}

function caching(method: string): JsonObject {
  const ttlMs = lifetimes[method];
  return ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' };
}
