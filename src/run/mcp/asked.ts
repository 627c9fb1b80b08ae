import { HostError } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { SandboxProfile } from '../launch.js';
import type { Deadline } from '../upstream/upstream.js';
import { RpcError, unknownMethod } from './message.js';

/** Puts a question to a person; undefined where there is nobody to ask. */
export type Ask = ((question: JsonObject) => Promise<JsonObject>) | undefined;

/** What a server may get to know from its client. */
export interface Knowledge {
  /** The workspace that its process was lent, as it sees it. */
  readonly roots: readonly JsonObject[];
}

export function knowledgeOf(
  confinement: SandboxProfile | undefined,
  inside: (root: SandboxProfile['roots'][number]) => string,
): Knowledge {
  const [root] = confinement?.roots ?? [];
  if (root === undefined) return { roots: [] };
  const path = inside(root);
  return {
    roots: [{ uri: `file://${path.split('/').map(encodeURIComponent).join('/')}`, name: 'workspace' }],
  };
}

const noSampling =
  'sampling is not offered here: this host runs no model for servers, and lends no server that of its callers';

/** The answer to what a server asks its client. Nothing is left without one. */
export async function answerTo(
  method: string,
  params: JsonObject,
  { roots }: Knowledge,
  ask: Ask,
): Promise<JsonObject> {
  switch (method) {
    case 'ping':
      return {};
    case 'roots/list':
      return { roots };
    case 'elicitation/create':
      return await elicited(params, ask);
    case 'sampling/createMessage':
      throw new RpcError(unknownMethod, noSampling);
    default:
      throw new RpcError(unknownMethod, `the method ${JSON.stringify(method)} is not known to this client`);
  }
}

async function elicited(params: JsonObject, ask: Ask): Promise<JsonObject> {
  if (ask === undefined) return { action: 'decline' };
  const given = await ask(params);
  const action = given.action === 'accept' || given.action === 'cancel' ? given.action : 'decline';
  return { action, ...(action === 'accept' && isObject(given.content) ? { content: given.content } : {}) };
}

/** Nobody takes longer over a question than the call that it is about may take, or lives. */
export function within(ask: Ask, { timeoutMs, signal }: Deadline, left: number, name: string): Ask {
  if (ask === undefined) return undefined;
  return (question) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
      };
      const cancel = () => {
        stop();
        reject(new HostError('canceled', 'the call was canceled'));
      };
      const timer = setTimeout(() => {
        stop();
        const message = `${name} asked something that was not answered within the ${timeoutMs / 1000} s of its call`;
        reject(new HostError('timeout', message, { hint: 'answer sooner, or give it more time' }));
      }, left);
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      else ask(question).then(resolve, reject).finally(stop);
    });
}
