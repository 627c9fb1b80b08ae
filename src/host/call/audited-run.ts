// One run of a call, between two entries of the audit log: the intent before it, the outcome after it.

import { asHostError, callCanceled } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { exemptionText } from '../../policy/scan/exemption.js';
import type { RunRequest } from '../../run/run.js';
import type { Reservation } from '../../store/limit-statements.js';
import type { Answer, CallRequest } from '../host.js';
import type { RunningCall } from '../operator/running-calls.js';
import { answerBase, type Call, timeoutOf } from './call.js';
import { failed } from './call-failure.js';
import { writeIntent } from './call-intent.js';
import { notedAnswer, withNotedOutput } from './call-labels.js';
import {
  type CallOutcome,
  type InnerCall,
  outcomeStatus,
  runToOutcome,
  withTimeLimitHint,
} from './call-outcome.js';
import type { CallServices } from './call-services.js';
import { mayTryAgain, runTries } from './call-tries.js';
import { CallUses } from './call-uses.js';
import type { CallableTool } from './callable-tool.js';
import type { FrozenCall } from './frozen-call.js';
import { releaseReservation } from './limits.js';
import { counted } from './scanned-requests.js';
import type { CallAuthorization } from './standing-rule.js';

export async function runAudited(
  services: CallServices,
  call: Call,
  frozen: FrozenCall,
  run: RunningCall,
  reservation: Reservation | null,
  authorization: CallAuthorization | undefined,
): Promise<Answer> {
  const { callable } = frozen;
  const requestedMs = timeoutOf(
    call.request.timeoutMs ?? (callable.tool.timeoutSeconds ?? Number.NaN) * 1000,
  );
  const timeoutMs = Math.min(requestedMs, callable.bounds.wallMs ?? requestedMs);
  let isRepeatable: boolean;
  try {
    ({ isRepeatable } = await writeIntent(services, call, frozen, timeoutMs, authorization));
  } catch (error) {
    await releaseReservation(services.limits, reservation);
    throw error;
  }

  const { outcome, uses } = await withNotedOutput(
    call,
    frozen,
    ({ onProgress, onAsk, logging, clientRequests }) =>
      runScanned(
        services,
        { ...call, request: { ...call.request, onProgress, onAsk, logging, clientRequests } },
        frozen,
        run,
        timeoutMs,
        authorization,
      ),
  );
  // A repeated call that ends with its host is repeated by the next one.
  const isInterrupted =
    call.repeats !== undefined && outcome.kind === 'failed' && asHostError(outcome.error).code === 'canceled';
  // If the host crashes before this entry is on disk, the next start marks the outcome as unknown.
  services.audit.enqueue({
    kind: 'outcome',
    ...(isRepeatable && !isInterrupted ? { repeatable: { kind: 'ended', call: call.id } } : {}),
    body: {
      callId: call.id,
      durationMs: services.now() - call.started,
      ...uses,
      status: outcomeStatus(outcome),
    },
  });
  if (outcome.kind === 'held') await releaseReservation(services.limits, reservation);
  // The output is scanned and checked, and nobody has seen it.
  return await notedAnswer(
    call,
    frozen,
    answerOf(services, call, callable, outcome, timeoutMs < requestedMs),
  );
}

/** Runs the action, with further tries, and scans and checks its output. `uses`: for the audit log. */
async function runScanned(
  services: CallServices,
  call: Call,
  { callable, input, meta }: FrozenCall,
  run: RunningCall,
  timeoutMs: number,
  authorization: CallAuthorization | undefined,
): Promise<{ readonly outcome: CallOutcome; readonly uses: JsonObject }> {
  const deniedHosts = new Set<string>();
  const uses = new CallUses();
  const redacted: JsonObject[] = [];
  let tries = 1;
  const runAll = async (request: RunRequest) => {
    const inner = innerCall(call, callable);
    const tried = await runTries(request, (it) => runToOutcome(callable, inner, it), services);
    tries = tried.tries;
    return tried.outcome;
  };
  const outcome = await unlessStopped(run, () =>
    runAll({
      package: callable.package,
      tool: callable.tool,
      input,
      callId: call.id,
      idempotencyKey: mayTryAgain(callable.tool) ? call.id : undefined,
      timeoutMs,
      outputBytes: callable.bounds.outputBytes,
      signal: run.signal,
      caller: { agentId: call.caller.principal, sessionId: call.caller.id },
      onProgress: call.request.onProgress,
      onAsk: call.request.onAsk,
      onTask: call.request.onTask,
      clientRequests: counted(call.request.clientRequests, (method) => uses.addRequest(method)),
      logging: call.request.logging,
      apps: call.request.apps,
      // An approval is about the arguments, so an approved call carries nothing else.
      meta: authorization === undefined ? meta : undefined,
      onNetworkDenied: (hosts) => {
        for (const host of hosts) deniedHosts.add(host);
      },
      onNetworkUsed: (hosts) => uses.addHosts(hosts),
      onFilesChanged: (folders) => uses.addFolders(folders),
      onRedacted: (findings) => redacted.push(...findings),
      onFindings: removalReport(callable.name, call.request.onRemoved),
    }),
  );
  return {
    outcome,
    uses: {
      ...(redacted.length === 0 ? {} : { redacted }),
      ...(deniedHosts.size === 0 ? {} : { deniedHosts: [...deniedHosts] }),
      ...uses.entry(),
      ...(tries === 1 ? {} : { tries }),
    },
  };
}

/** Names the setting that would keep each finding; values of the vault have none. */
function removalReport(tool: string, onRemoved: CallRequest['onRemoved']): RunRequest['onFindings'] {
  if (onRemoved === undefined) return undefined;
  return (findings) =>
    onRemoved(
      findings.map((it) => ({
        ...it,
        exempt: false,
        ...(it.reason === 'value' || it.path === ''
          ? {}
          : { setting: exemptionText(tool, it.path, it.rule) }),
      })),
    );
}

function answerOf(
  services: CallServices,
  call: Call,
  callable: CallableTool,
  outcome: CallOutcome,
  isTimeLimited: boolean,
): Answer {
  switch (outcome.kind) {
    case 'held': {
      const { confirmation } = outcome;
      return {
        ...answerBase(services, call),
        tool: callable.name,
        status: 'confirmation_required',
        confirmation,
      };
    }
    case 'failed': {
      const error = isTimeLimited ? withTimeLimitHint(outcome.error) : outcome.error;
      return failed(services, call, error, callable.name);
    }
    case 'done': {
      const { value, binary, log, warnings, parts, structured, meta } = outcome.result;
      const { callId, durationMs } = answerBase(services, call);
      return {
        callId,
        durationMs,
        tool: callable.name,
        status: 'ok',
        result: value,
        warnings: callable.sandboxed
          ? warnings
          : [...warnings, `${callable.name} ran without a sandbox, as requested`],
        ...(binary === undefined ? {} : { binary }),
        ...(log === undefined ? {} : { log }),
        ...(parts === undefined ? {} : { parts }),
        ...(structured === undefined ? {} : { structured }),
        ...(meta === undefined ? {} : { meta }),
      };
    }
  }
}

/** Does not start a call that was canceled before. A call that was stopped fails with the reason of the stop. */
async function unlessStopped(run: RunningCall, start: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome: CallOutcome = run.signal.aborted ? { kind: 'failed', error: callCanceled() } : await start();
  // Also for `held`: a stopped call that waits for an inner call is over, and its approval is used up.
  return outcome.kind !== 'done' && run.stopReason !== undefined
    ? { kind: 'failed', error: run.stopReason }
    : outcome;
}

/** Sends a call of a composed tool through the same pipeline, with the chain that led to it. */
function innerCall(call: Call, outer: CallableTool): InnerCall {
  return (tool, { input, timeoutMs, signal, onProgress, onAsk, clientRequests, logging }) => {
    const asked = { onProgress, onAsk, clientRequests, logging };
    const request = { tool, arguments: input, timeoutMs, signal, ...asked };
    return call.callInner(request, [...call.chain, outer.name]);
  };
}
