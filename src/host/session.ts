import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import { parseHiddenInput, parseHideSetting, parseInputSetting } from '../model/taint-setting.js';
import type { Waiver } from '../model/waiver.js';
import { unmatchedSettings } from '../policy/taint/input-setting.js';
import { unmatchedLabels } from '../policy/taint/label-overlay.js';
import { unusedGrantReason } from '../policy/unused-grant.js';
import type { CallServices } from './call/call-services.js';
import type { Caller } from './call/caller.js';
import { repeatInterrupted } from './call/repeat.js';
import type { SessionCatalog } from './catalog/session-catalog.js';
import { sessionSignIns } from './catalog/session-sign-ins.js';
import { sessionNames } from './catalog/tool-lookup.js';
import type { Answer, Session, SessionOptions, SessionWaiver } from './host.js';
import type { HostServices } from './host-services.js';
import type { CandidateSession } from './lifecycle/lifecycle-services.js';
import { requestInstall } from './lifecycle/request-install.js';
import { withInstallRequests } from './lifecycle/requested-installs.js';
import { type LearningServices, learningOf } from './lifecycle/session-learning.js';
import { limitSession } from './limited-session.js';
import type { ConsoleAccess } from './operator/console-access.js';
import type { InstallRequestQueue } from './operator/install-request-queue.js';
import type { KillTargets } from './operator/kill-targets.js';
import type { LabelSessions } from './operator/label-sessions.js';
import type { OpenSessions } from './operator/open-sessions.js';
import type { Operator, OperatorAuth } from './operator/operator-auth.js';
import { unknownSet } from './operator/set-operations.js';
import type { ToolSets } from './operator/tool-sets.js';
import type { WaiverGate } from './operator/waiver-gate.js';
import { sessionOutput } from './session-output.js';
import type { TaintPolicy } from './session-policy.js';
import { acceptanceOf, createSessionSetup, noSessionOwn, type SessionOwn } from './session-setup.js';
import { commandLineWaivers } from './session-waivers.js';

/** What a session needs from its host. */
export interface SessionContext {
  readonly services: HostServices;
  readonly callServices: CallServices;
  readonly operatorAuth: OperatorAuth;
  readonly waivers: WaiverGate;
  readonly killTargets: KillTargets;
  readonly installRequests: InstallRequestQueue;
  readonly learning: LearningServices;
  readonly sets: ToolSets;
  readonly consoleAccess: Pick<ConsoleAccess, 'linkFor'>;
  readonly labels: LabelSessions;
  readonly openSessions: OpenSessions;
  /** Operators in this process whose PIN was checked. The HTTP server opens a session per caller for the same one. */
  readonly verifiedOperators: WeakSet<Operator>;
  readonly parse: ParseOptions;
  /** Whether the host is for the author of packages. */
  readonly isForDevelopment: boolean;
  readonly onAnswer: ((answer: Answer, principal: string) => void) | undefined;
}

/** Opens a session: checks its options, loads and checks its packages, and connects them to the call pipeline. */
export async function openSession(options: SessionOptions, context: SessionContext): Promise<Session> {
  return (await openWith(options, context, noSessionOwn)).session;
}

/** `own`: what only this session has. */
async function openWith(
  options: SessionOptions,
  context: SessionContext,
  own: SessionOwn,
): Promise<Omit<CandidateSession, 'close'>> {
  const { services, callServices, operatorAuth, waivers, installRequests, learning, parse, onAnswer } =
    context;
  const gate = context.isForDevelopment ? commandLineWaivers(options, waivers) : waivers;
  const setup = createSessionSetup(options, parse, gate, own, learning.narrowings);
  const set = setup.setRequest === null ? null : context.sets.inForce(setup.setRequest);
  // A bound set that is missing leaves the session without tools. A name that somebody wrote is corrected at once.
  if (set?.source === 'session' && context.sets.get(set.name) === undefined)
    throw unknownSet(set.name, context.sets);
  if (setup.policy.unsafeNoSandbox === true)
    await allowNoSandbox(options.operator ?? setup.principal, context);
  await waivers.logInactive(setup.waivers, setup.principal);
  const { catalog, release } = await services.openCatalog(setup, acceptanceOf(options, setup));
  assertLabelsMatch(setup.policy.taint ?? {}, catalog);
  context.killTargets.add(sessionNames(setup.principal, catalog.packages, catalog.allTools));
  const { principal, client } = setup;
  const { newId } = callServices;
  const labelSettings = {
    own: setup.policy.taint?.own ?? [],
    outsideInput: hasOutsideInput(setup.policy.taint ?? {}, principal),
  };
  const temporary = options.sessionName === null ? context.labels.openTemporary(labelSettings) : undefined;
  const labelsOf = (name: string) =>
    context.labels.opener({ principal, root: setup.root, name }, labelSettings);
  const caller: Caller = {
    id: newId('ses'),
    principal,
    client,
    resolve: (name: string, from?: string) => catalog.resolve(name, from),
    hasHooks: () => catalog.hasHooks,
    hooks: () => catalog.hooks(),
    passesUserText: (setup.policy.taint?.userText ?? []).includes(principal),
    labels: temporary === undefined ? labelsOf(options.sessionName ?? client) : async () => temporary,
  };
  if (setup.intent === 'use') await repeatInterrupted(callServices, caller);
  const { setRequest } = setup;
  const entered =
    setup.intent === 'use' && setRequest !== null
      ? context.openSessions.enter({
          ...{ id: caller.id, principal, client, root: setup.root },
          set: () => context.sets.inForce(setRequest),
        })
      : undefined;
  const noteAnswer: typeof onAnswer = (...args) => {
    entered?.noteCall();
    onAnswer?.(...args);
  };
  const outputOf = (it: Caller) =>
    sessionOutput({ callServices, caller: it, setup, catalog, onAnswer: noteAnswer });
  const { output, subscribeAs, close: closeOutput } = outputOf(caller);
  const session: Session = {
    packages: () => catalog.report(),
    tools: () => catalog.tools(),
    ...output,
    named: (sessionName) => ({
      ...session,
      ...outputOf({ ...caller, labels: labelsOf(sessionName) }).output,
      requestInstall: (asked) =>
        requestInstall(asked, setup, catalog, installRequests, { labels: labelsOf(sessionName) }),
      subscribe: subscribeAs({ labels: labelsOf(sessionName) }),
    }),
    prompts: async () => (await catalog.content.prompts()).map((it) => it.listed),
    resources: async () => (await catalog.content.resources()).map((it) => it.listed),
    onChange: (listener) => services.onChange(listener),
    instructions: () => catalog.content.instructions(),
    review: (id) => catalog.review(id),
    source: async (id) => catalog.source(id),
    page: (id) => catalog.content.page(id),
    accept: async (id, digest, by = principal) =>
      catalog.accept(id, digest, await operatorAuth.verify(by, 'accept a package')),
    waivers: async () => {
      const known = catalog.packages.flatMap((it) => it.loaded.catalog?.package ?? []);
      const { webhook, broker, notify = [] } = setup.policy;
      const urls = [webhook, broker?.url, ...notify.map((it) => it.url)].filter((it) => it !== undefined);
      return setup.waivers.map((it) => {
        const unused =
          it.kind === 'grant' ? unusedGrantReason(String(it.content), known, { urls }) : undefined;
        return { ...stateOf(it, gate), ...(unused === undefined ? {} : { unused }) };
      });
    },
    acceptWaiver: async (id, by = principal) => {
      const waiver = setup.waivers.find((it) => it.id === id);
      if (waiver === undefined)
        throw new HostError('not_found', 'this session has no setting with this id to accept', {
          hint: 'it may have changed; "toolwharf policy list" shows the settings and their ids',
        });
      await waivers.accept(waiver, await operatorAuth.verify(by, 'accept a setting'));
      return stateOf(waiver, waivers);
    },
    consoleLink: () => context.consoleAccess.linkFor(options),
    install: (id, installOptions = {}) => catalog.install(id, installOptions),
    learning: learningOf(setup, catalog, learning),
    requestInstall: (asked) => requestInstall(asked, setup, catalog, installRequests, caller),
    installations: withInstallRequests(
      services.lifecycle.of(setup, async (place, intent, own = {}) => {
        const trial = { ...options, directories: [], accept: null, intent };
        const opened = await openWith(trial, context, { ...noSessionOwn, ...own, places: [place] });
        return { ...opened, close: () => opened.session.close() };
      }),
      installRequests,
    ),
    registries: services.lifecycle.registriesOf(setup),
    signIns: sessionSignIns({ setup, catalog, operatorAuth, signIns: services.signIns }),
    close: async () => {
      entered?.leave();
      closeOutput();
      if (temporary !== undefined) context.labels.close(temporary);
      release();
      await services.lifecycle.endTrials(setup);
    },
  };
  return { session: limitSession(session, setup.intent), catalog };
}

/** Whether the agent of a principal also reads what does not come through the host. */
function hasOutsideInput(
  { outsideInput = false, outsideClients = [] }: TaintPolicy,
  principal: string,
): boolean {
  return outsideInput || outsideClients.includes(principal);
}

/** A setting that can never match is a mistake: a question comes that it should remove, or a result is shown that it should hide. */
function assertLabelsMatch(
  { inputs = [], hide = [], hiddenInputs = [], labels }: TaintPolicy,
  { allTools }: Pick<SessionCatalog, 'allTools'>,
): void {
  if (inputs.length + hide.length + hiddenInputs.length === 0 && labels === undefined) return;
  const tools = allTools.map(({ name, tool }) => ({ name, input: tool.input }));
  const [unknown] = unmatchedLabels(labels, tools);
  if (unknown !== undefined)
    throw new HostError('invalid_config', `taint.labels: no tool has the name ${JSON.stringify(unknown)}`, {
      hint: 'see "toolwharf info PACKAGE" for the names of its tools',
    });
  const unmatched = [
    ...unmatchedSettings(inputs, parseInputSetting, tools).map((it) => ['inputs', 'input', it] as const),
    ...unmatchedSettings(hide, parseHideSetting, tools).map((it) => ['hide', 'name', it] as const),
    ...unmatchedSettings(hiddenInputs, parseHiddenInput, tools).map(
      (it) => ['hiddenInputs', 'input', it] as const,
    ),
  ];
  for (const [setting, what, text] of unmatched)
    throw new HostError(
      'invalid_config',
      `taint.${setting}: no tool has the ${what} that ${JSON.stringify(text)} names`,
      { hint: 'see "toolwharf info PACKAGE" for the names of its tools and inputs' },
    );
}

function stateOf(waiver: Waiver, gate: Pick<WaiverGate, 'isActive' | 'isVerified'>): SessionWaiver {
  return { ...waiver, active: gate.isActive(waiver.id), verified: gate.isVerified(waiver.id) };
}

/** Each session without a sandbox needs the operator. */
async function allowNoSandbox(
  actor: NonNullable<SessionOptions['operator']>,
  { operatorAuth, callServices, verifiedOperators }: SessionContext,
): Promise<void> {
  const isKnown = typeof actor === 'object' && verifiedOperators.has(actor);
  const who = isKnown
    ? { by: actor.name, channel: actor.channel, verified: true }
    : await operatorAuth.verify(actor, 'run tools without a sandbox');
  if (who.verified && typeof actor === 'object') verifiedOperators.add(actor);
  const body = { operation: 'session without sandbox', ...who };
  await callServices.audit.append({ kind: 'operator', body });
}
