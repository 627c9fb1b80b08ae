import { callAccessOf } from '../../model/call-access.js';
import { Cancellation, type CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { NetworkHost } from '../../model/permissions.js';
import type { SlotValues } from '../../model/slot.js';
import type { HttpClient } from '../../net/http-client.js';
import { runExec } from '../../run/exec.js';
import { runFunction } from '../../run/function.js';
import { runHttp } from '../../run/http.js';
import type { PrestartedSandboxes } from '../../run/prestarted-sandboxes.js';
import { runPrompt } from '../../run/prompt.js';
import type { RunRequest, RunResult } from '../../run/run.js';
import type { ProcessServices } from '../../run/sandboxed-process.js';
import type { WorkerPool } from '../../run/worker/worker-pool.js';
import type { Queue } from '../queue.js';
import type { ToolProfile } from '../sandboxing/profile-inputs.js';

/** Everything needed to run actions. */
export interface ActionServices {
  readonly processServices: ProcessServices;
  readonly client: HttpClient;
  readonly warm: PrestartedSandboxes | null;
  readonly pool: WorkerPool;
  /** Limits how many processes run at once. */
  readonly processQueue: Queue;
}

/** Hosts that the operator granted and denied. */
interface OperatorReach {
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
  readonly certificates?: string | undefined;
}

/** Calls a tool of a long-running program (upstream), which is started first if it is not running. */
export type UpstreamRun = (request: RunRequest) => Promise<RunResult>;

/** Runs the action of a tool. Its output still has to be scanned (`output-scan.ts`). */
export async function runAction(
  request: RunRequest,
  slots: SlotValues,
  reach: OperatorReach,
  toolProfile: () => Promise<ToolProfile>,
  { processServices, client, warm, pool, processQueue }: ActionServices,
  runUpstream: UpstreamRun,
): Promise<RunResult> {
  const { action } = request.tool;
  switch (action?.kind) {
    case 'exec':
      return withinTimeout(request, (waitSignal, leftMs) =>
        processQueue(async () => {
          const toolProfileNow = await toolProfile();
          return settled(toolProfileNow, () =>
            runExec(action, withTimeLeft(request, leftMs()), toolProfileNow.profile, processServices, warm),
          );
        }, waitSignal),
      );
    case 'function': {
      const toolProfileNow = await toolProfile();
      return withinTimeout(request, async (waitSignal, leftMs) =>
        settled(toolProfileNow, () =>
          runFunction(action, request, toolProfileNow.profile, processServices, pool, { waitSignal, leftMs }),
        ),
      );
    }
    case 'http': {
      const { network } = callAccessOf(request.package, request.tool);
      const own = new URL(action.url.origin);
      const hosts = [
        ...(network.kind === 'hosts' ? network.hosts : []),
        { host: own.hostname, port: own.port === '' ? null : Number(own.port) },
      ];
      return runHttp(action, request, slots, client, { hosts, ...reach });
    }
    case 'prompt':
      return runPrompt(action, request, new Map([...slots].filter(([, it]) => !it.secret)));
    case 'upstream':
      return await runUpstream(request);
    default:
      throw new HostError(
        'not_supported',
        `${request.tool.name} has an action that this host cannot run yet`,
      );
  }
}

/**
 * Counts the wait for a free process as part of the call's timeout. `waitSignal` ends the wait; `leftMs` is the time
 * left.
 */
async function withinTimeout<T>(
  request: RunRequest,
  work: (waitSignal: () => CancelSignal, leftMs: () => number) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  // Cleared when the call ends: `AbortSignal.timeout` would keep a timer until its time is up, one for each call.
  let waiting: Waiting | undefined;
  const waitSignal = () => {
    waiting ??= startWait(request);
    return waiting.signal;
  };
  const leftMs = () => Math.max(1, Math.round(request.timeoutMs - (performance.now() - started)));
  try {
    return await work(waitSignal, leftMs);
  } catch (error) {
    const timedOut = waiting?.timedOut() === true && !request.signal.aborted;
    if (!timedOut || !(error instanceof HostError) || error.code !== 'canceled') throw error;
    const name = `${request.package.id}/${request.tool.name}`;
    throw new HostError(
      'timeout',
      `${name} waited ${request.timeoutMs / 1000} s for a free process and did not start`,
      {
        hint: 'other calls use all processes; call again later, or give it more time with --timeout',
      },
    );
  } finally {
    waiting?.end();
  }
}

/** The request with the time that is left. */
function withTimeLeft(request: RunRequest, timeoutMs: number): RunRequest {
  return { ...request, timeoutMs, callTimeoutMs: request.callTimeoutMs ?? request.timeoutMs };
}

interface Waiting {
  readonly signal: CancelSignal;
  timedOut(): boolean;
  end(): void;
}

function startWait({ signal, timeoutMs }: RunRequest): Waiting {
  const cancellation = new Cancellation();
  const abort = () => cancellation.abort();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort();
  }, Math.ceil(timeoutMs));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: cancellation,
    timedOut: () => timedOut,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Runs a call, then checks the folders it could write to. */
async function settled({ profile, notes }: ToolProfile, run: () => Promise<RunResult>): Promise<RunResult> {
  let result: RunResult;
  try {
    result = await run();
  } catch (error) {
    await profile.guard?.settle();
    throw error;
  }
  return withNotes([...notes, ...((await profile.guard?.settle()) ?? [])], result);
}

function withNotes(notes: readonly string[], result: RunResult): RunResult {
  return notes.length === 0 ? result : { ...result, warnings: [...result.warnings, ...notes] };
}
