import type { CancelSignal } from '../../model/cancel-signal.js';
import { asHostError, HostError, type Transient } from '../../model/host-error.js';
import type { Tool } from '../../model/tool.js';
import { retryDelay } from '../../policy/retry-delay.js';
import type { RunRequest } from '../../run/run.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { CallOutcome } from './call-outcome.js';

/**
 * Whether a call may be tried again. A composed tool never is: its inner call has an outcome and a key of its own, and
 * is tried again if its own tool is idempotent.
 */
export function mayTryAgain({ idempotentDeclared, action }: Tool): boolean {
  return idempotentDeclared === true && action !== null && action.kind !== 'compose';
}

/** Whether a host that starts after a crash may repeat a call. Of a call that changes nothing, nothing is missing. */
export function mayRepeat(tool: Tool): boolean {
  return mayTryAgain(tool) && (tool.effect === 'write' || tool.effect === 'destructive');
}

export interface TryServices {
  readonly audit: AuditLog;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Runs a call, and again after a failure that may be gone a moment later: a few times, within the timeout of the call,
 * and with the same key. Each further try is in the audit log before it starts.
 */
export async function runTries(
  request: RunRequest,
  run: (request: RunRequest) => Promise<CallOutcome>,
  { audit, random }: TryServices,
): Promise<{ readonly outcome: CallOutcome; readonly tries: number }> {
  if (request.idempotencyKey === undefined) return { outcome: await run(request), tries: 1 };
  const started = performance.now();
  const leftMs = () => Math.round(request.timeoutMs - (performance.now() - started));
  for (let tries = 1; ; tries++) {
    const attempt =
      tries === 1
        ? request
        : { ...request, timeoutMs: Math.max(1, leftMs()), callTimeoutMs: request.timeoutMs };
    const outcome = await run(attempt);
    const transient = outcome.kind === 'failed' ? transientOf(outcome.error) : undefined;
    if (outcome.kind !== 'failed' || transient === undefined || request.signal.aborted)
      return { outcome, tries };
    const delayMs = retryDelay({ tries, transient, leftMs: leftMs(), random });
    if (delayMs === undefined) return { outcome, tries };
    const { code } = asHostError(outcome.error);
    const body = { callId: request.callId, try: tries + 1, code, delayMs };
    await audit.append({ kind: 'retry', body });
    await wait(delayMs, request.signal);
    if (request.signal.aborted) return { outcome, tries };
  }
}

/** Errors of the system for a process that could not be started, because too many exist. */
const startErrors: readonly (string | undefined)[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

function transientOf(error: unknown): Transient | undefined {
  if (error instanceof HostError) return error.transient;
  const { syscall, code } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall?.startsWith('spawn') === true && startErrors.includes(code) ? {} : undefined;
}

function wait(milliseconds: number, signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
