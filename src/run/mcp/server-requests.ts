import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { withQuestionKey } from '../../model/question-key.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import type { AskedClient } from '../run.js';
import type { SandboxProfile } from '../sandbox-command.js';
import type { Deadline } from '../upstream/upstream.js';
import { fileUri, rootsWithin, type SharedWorkspace } from './client-roots.js';

/** Asks the user a question; undefined if nobody can be asked. */
export type QuestionHandler = ((question: JsonObject) => Promise<JsonObject>) | undefined;

/** What a server may learn about its client. */
export interface ClientContext {
  /** The mounted workspace, as the process sees it. */
  readonly roots: readonly JsonObject[];
  /** Where the roots of a client must be. Null: the server sees no workspace. */
  readonly workspace: SharedWorkspace | null;
}

export function clientContextOf(
  profile: SandboxProfile | undefined,
  inside: (root: SandboxProfile['roots'][number]) => string,
): ClientContext {
  const [root] = profile?.roots ?? [];
  if (root === undefined) return { roots: [], workspace: null };
  const path = inside(root);
  return {
    roots: [{ uri: fileUri(path), name: 'workspace' }],
    workspace: { outside: root.source, inside: path },
  };
}

const noSampling =
  'sampling is not available: the operator did not allow it, or the client does not offer it';

/**
 * Answers a request of the server to its client. The server's `_meta` is not passed on: members of the host in it say who
 * asks. `key`: under which a server of the 2026 era expects the answer.
 */
export async function answerServerRequest(
  method: string,
  { _meta, ...params }: JsonObject,
  { roots, workspace }: ClientContext,
  { onAsk: ask, clientRequests: requests }: AskedClient,
  key?: string,
): Promise<JsonObject> {
  const own = withQuestionKey(params, key);
  switch (method) {
    case 'ping':
      return {};
    case 'roots/list':
      if (!isObject(requests?.capabilities.roots)) return { roots };
      return { roots: rootsWithin((await requests.send(method, own)).roots, workspace) };
    case 'elicitation/create':
      return await answerElicitation(own, ask);
    case 'sampling/createMessage':
      if (!isObject(requests?.capabilities.sampling)) throw new RpcFailure(methodNotFound, noSampling);
      return await requests.send(method, own);
    default:
      throw new RpcFailure(methodNotFound, `this client does not know the method ${JSON.stringify(method)}`);
  }
}

async function answerElicitation(question: JsonObject, ask: QuestionHandler): Promise<JsonObject> {
  if (ask === undefined) return { action: 'decline' };
  const answer = await ask(question);
  const action = answer.action === 'accept' || answer.action === 'cancel' ? answer.action : 'decline';
  return { action, ...(action === 'accept' && isObject(answer.content) ? { content: answer.content } : {}) };
}

/** Limits what a server asks to the remaining time of its call, and ends it with the call. */
export function withDeadline(
  { onAsk, clientRequests }: AskedClient,
  deadline: Deadline,
  left: number,
  name: string,
): AskedClient {
  return {
    onAsk: onAsk && ((question) => within(() => onAsk(question), deadline, left, name)),
    clientRequests: clientRequests && {
      capabilities: clientRequests.capabilities,
      send: (method, params) => within(() => clientRequests.send(method, params), deadline, left, name),
    },
  };
}

function within<T>(
  work: () => Promise<T>,
  { timeoutMs, signal }: Deadline,
  left: number,
  name: string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    };
    const cancel = () => {
      stop();
      reject(callCanceled());
    };
    const timer = setTimeout(() => {
      stop();
      const message = `${name} asked a question that was not answered within ${timeoutMs / 1000} s`;
      reject(new HostError('timeout', message, { hint: 'answer sooner, or use a longer --timeout' }));
    }, left);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    else work().then(resolve, reject).finally(stop);
  });
}
