import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import type { SandboxProfile } from '../sandbox-command.js';
import type { Deadline } from '../upstream/upstream.js';

/** Asks the user a question; undefined if nobody can be asked. */
export type QuestionHandler = ((question: JsonObject) => Promise<JsonObject>) | undefined;

/** What a server may learn about its client. */
export interface ClientContext {
  /** The mounted workspace, as the process sees it. */
  readonly roots: readonly JsonObject[];
}

export function clientContextOf(
  profile: SandboxProfile | undefined,
  inside: (root: SandboxProfile['roots'][number]) => string,
): ClientContext {
  const [root] = profile?.roots ?? [];
  if (root === undefined) return { roots: [] };
  const path = inside(root);
  return {
    roots: [{ uri: `file://${path.split('/').map(encodeURIComponent).join('/')}`, name: 'workspace' }],
  };
}

const noSampling = 'sampling is not supported: the host offers servers no model';

/** Answers a request of the server to its client. */
export async function answerServerRequest(
  method: string,
  params: JsonObject,
  { roots }: ClientContext,
  ask: QuestionHandler,
): Promise<JsonObject> {
  switch (method) {
    case 'ping':
      return {};
    case 'roots/list':
      return { roots };
    case 'elicitation/create':
      return await answerElicitation(params, ask);
    case 'sampling/createMessage':
      throw new RpcFailure(methodNotFound, noSampling);
    default:
      throw new RpcFailure(methodNotFound, `this client does not know the method ${JSON.stringify(method)}`);
  }
}

/** The server's `_meta` is not passed on: members of the host in it say who asks. */
async function answerElicitation(
  { _meta, ...question }: JsonObject,
  ask: QuestionHandler,
): Promise<JsonObject> {
  if (ask === undefined) return { action: 'decline' };
  const answer = await ask(question);
  const action = answer.action === 'accept' || answer.action === 'cancel' ? answer.action : 'decline';
  return { action, ...(action === 'accept' && isObject(answer.content) ? { content: answer.content } : {}) };
}

/** Limits a question to the remaining time of its call, and ends it with the call. */
export function withDeadline(
  ask: QuestionHandler,
  { timeoutMs, signal }: Deadline,
  left: number,
  name: string,
): QuestionHandler {
  if (ask === undefined) return undefined;
  return (question) =>
    new Promise((resolve, reject) => {
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
      else ask(question).then(resolve, reject).finally(stop);
    });
}
