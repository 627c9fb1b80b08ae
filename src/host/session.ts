import { neverCanceled } from '../model/cancel-signal.js';
import type { ParseOptions } from '../model/format.js';
import { type CallServices, callTool } from './call/call.js';
import { runMessageHooks } from './call/call-hooks.js';
import { explainCall } from './call/explain.js';
import { ContentReader } from './catalog/content-reader.js';
import type { Answer, Session, SessionOptions } from './host.js';
import type { HostServices } from './host-services.js';
import type { KillTargets } from './operator/kill-targets.js';
import type { OperatorAuth } from './operator/operator-auth.js';
import { createSessionSetup } from './session-setup.js';

/** What a session needs from its host. */
export interface SessionContext {
  readonly services: HostServices;
  readonly callServices: CallServices;
  readonly operatorAuth: OperatorAuth;
  readonly killTargets: KillTargets;
  readonly parse: ParseOptions;
  readonly onAnswer: ((answer: Answer, principal: string) => void) | undefined;
}

/** Opens a session: checks its options, loads and checks its packages, and connects them to the call pipeline. */
export async function openSession(
  options: SessionOptions,
  { services, callServices, operatorAuth, killTargets, parse, onAnswer }: SessionContext,
): Promise<Session> {
  const setup = createSessionSetup(options, parse);
  const { catalog, release } = await services.openCatalog(setup);
  killTargets.add(catalog.names);
  const { principal } = setup;
  const { audit, running, newId } = callServices;
  const caller = {
    id: newId('ses'),
    principal,
    resolve: (name: string) => catalog.resolve(name),
    hasHooks: () => catalog.hasHooks,
    hooks: () => catalog.hooks(),
  };
  const call: Session['call'] = (request) =>
    running.track(async () => {
      const answer = await callTool(callServices, caller, request);
      onAnswer?.(answer, principal);
      return answer;
    });
  const contentReader = new ContentReader({ catalog, call, services: callServices, session: caller.id });
  return {
    packages: () => catalog.report(),
    tools: () => catalog.tools(),
    call,
    explain: (request) => explainCall(request, caller, setup, callServices),
    message: async (point, content, signal = neverCanceled) => {
      const handlers = await catalog.hooks();
      return runMessageHooks(point, content, { principal, session: caller.id, signal, handlers, audit });
    },
    prompts: async () => (await catalog.prompts()).map((it) => it.listed),
    prompt: (name, args) => contentReader.prompt(name, args),
    promptMessages: (name, args, signal) => contentReader.messages(name, args, signal),
    resources: async () => (await catalog.resources()).map((it) => it.listed),
    resource: (uri, signal) => contentReader.resource(uri, signal),
    onChange: (listener) => services.onChange(listener),
    review: (id) => catalog.review(id),
    accept: async (id, digest, by = principal) =>
      catalog.accept(id, digest, await operatorAuth.verify(by, 'accept a package')),
    install: (id, installOptions = {}) => catalog.install(id, installOptions),
    close: async () => release(),
  };
}
