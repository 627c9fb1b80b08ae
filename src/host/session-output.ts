// Every method of a session that returns content in clear. All of it passes by the labels of the session. A new method that
// returns content belongs here.

import { neverCanceled } from '../model/cancel-signal.js';
import { runMessageHooks } from './call/call-hooks.js';
import { notedMessage, noteOther } from './call/call-labels.js';
import { callTool } from './call/call-pipeline.js';
import type { CallServices } from './call/call-services.js';
import type { Caller } from './call/caller.js';
import { explainCall } from './call/explain.js';
import { withoutRepeatedGrant } from './call/repeated-grant.js';
import { ContentReader } from './catalog/content-reader.js';
import type { SessionCatalog } from './catalog/session-catalog.js';
import type { Answer, Session } from './host.js';
import type { SessionSetup } from './session-setup.js';

export type SessionOutput = Pick<
  Session,
  | 'call'
  | 'explain'
  | 'message'
  | 'note'
  | 'prompt'
  | 'promptMessages'
  | 'resource'
  | 'subscribe'
  | 'complete'
>;

export interface SessionOutputOptions {
  readonly callServices: CallServices;
  readonly caller: Caller;
  readonly setup: SessionSetup;
  readonly catalog: SessionCatalog;
  readonly onAnswer: ((answer: Answer, principal: string) => void) | undefined;
}

export function sessionOutput(options: SessionOutputOptions): {
  readonly output: SessionOutput;
  /** Watches resources for the same session under another name. They end with this one. */
  readonly subscribeAs: (caller: Pick<Caller, 'labels'>) => Session['subscribe'];
  /** Ends subscriptions. */
  close(): void;
} {
  const { callServices, caller, setup, catalog, onAnswer } = options;
  const { principal } = caller;
  const given = setup.waivers.flatMap((it) => (it.kind === 'grant' ? [String(it.content)] : []));
  const call: Session['call'] = (request) =>
    callServices.running.track(async () => {
      const answer = withoutRepeatedGrant(await callTool(callServices, caller, request), {
        given,
        inForce: setup.allow,
      });
      onAnswer?.(answer, principal);
      return answer;
    });
  const reader = new ContentReader({ catalog, call, caller, services: callServices });
  const output: SessionOutput = {
    call,
    explain: (request) => explainCall(request, caller, setup, callServices),
    message: async (point, content, signal = neverCanceled) => {
      const handlers = await catalog.hooks();
      const { audit } = callServices;
      const context = { principal, session: caller.id, signal, handlers, audit };
      return notedMessage(caller, content, await runMessageHooks(point, content, context));
    },
    note: (from, content) => noteOther(caller, from, content),
    prompt: (name, args) => reader.prompt(name, args),
    promptMessages: (name, args, signal, client) => reader.messages(name, args, signal, client),
    resource: (uri, signal, client) => reader.resource(uri, signal, client),
    subscribe: (uri, onUpdate, signal) => reader.subscribe(uri, onUpdate, signal),
    complete: (request, signal) => reader.complete(request, signal),
  };
  const subscribeAs =
    (as: Pick<Caller, 'labels'>): Session['subscribe'] =>
    (uri, onUpdate, signal) =>
      reader.subscribe(uri, onUpdate, signal, as);
  return { output, subscribeAs, close: () => reader.close() };
}
