import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';
import { type Signal, Stop } from '../model/signal.js';
import type { SlotValues } from '../model/slot.js';
import type { HttpClient } from '../net/client.js';
import { runExec } from '../run/exec.js';
import { runFunction } from '../run/function.js';
import { runHttp } from '../run/http.js';
import type { ProcessPool } from '../run/pool.js';
import { runPrompt } from '../run/prompt.js';
import type { RunRequest, RunResult } from '../run/run.js';
import type { ProcessServices } from '../run/spawn.js';
import type { WarmSandboxes } from '../run/warm.js';
import type { Queue } from './queue.js';
import type { ToolProfile } from './sandbox-profile.js';

/** What actions are performed with. */
export interface Performer {
  readonly machine: ProcessServices;
  readonly client: HttpClient;
  readonly warm: WarmSandboxes | null;
  readonly pool: ProcessPool;
  /** Bounds how many processes run at once. */
  readonly inTurn: Queue;
}

/** Hosts that an operator granted and ruled out. */
interface OperatorReach {
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
}

/** Asks a program that is kept; it is started first where it is not up. */
export type UpstreamRun = (request: RunRequest) => Promise<RunResult>;

/** Performs the action of a tool. What it says still has to go through `exit.ts`. */
export async function perform(
  request: RunRequest,
  slots: SlotValues,
  reach: OperatorReach,
  confined: () => Promise<ToolProfile>,
  { machine, client, warm, pool, inTurn }: Performer,
  remote: UpstreamRun,
): Promise<RunResult> {
  const { action } = request.tool;
  switch (action?.kind) {
    case 'exec':
      return withinTime(request, (patience, leftMs) =>
        inTurn(async () => {
          const { confinement, notes } = await confined();
          return noting(notes, await runExec(action, within(request, leftMs()), confinement, machine, warm));
        }, patience),
      );
    case 'function': {
      const { confinement, notes } = await confined();
      return withinTime(request, async (patience, leftMs) =>
        noting(notes, await runFunction(action, request, confinement, machine, pool, { patience, leftMs })),
      );
    }
    case 'http': {
      const { network } = request.package.permissions;
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
      return remote(request);
    default:
      throw new HostError('not_supported', `${request.tool.name} is of a kind that is not run yet`);
  }
}

/**
 * Waiting for a turn is a part of the time that a call may take. `patience` ends the waiting; `leftMs` is the time that is
 * left.
 */
async function withinTime<T>(
  request: RunRequest,
  work: (patience: () => Signal, leftMs: () => number) => Promise<T>,
): Promise<T> {
  const started = performance.now();
  // Ended with the call: a timer of the platform would stay until its time is up, and with many calls there are many.
  let waiting: Waiting | undefined;
  const patience = () => {
    waiting ??= waitFor(request);
    return waiting.signal;
  };
  const leftMs = () => Math.max(1, Math.round(request.timeoutMs - (performance.now() - started)));
  try {
    return await work(patience, leftMs);
  } catch (error) {
    const late = waiting?.late() === true && !request.signal.aborted;
    if (!late || !(error instanceof HostError) || error.code !== 'canceled') throw error;
    const name = `${request.package.id}/${request.tool.name}`;
    throw new HostError('timeout', `${name} did not get its turn within ${request.timeoutMs / 1000} s`, {
      hint: 'other calls take all the places; call again later, or give it more time with --timeout',
    });
  } finally {
    waiting?.end();
  }
}

/** The call with the time that is left of it. */
function within(request: RunRequest, timeoutMs: number): RunRequest {
  return { ...request, timeoutMs, givenMs: request.timeoutMs };
}

interface Waiting {
  readonly signal: Signal;
  /** Its time was up. */
  late(): boolean;
  end(): void;
}

function waitFor({ signal, timeoutMs }: RunRequest): Waiting {
  const stop = new Stop();
  const abort = () => stop.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, Math.ceil(timeoutMs));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: stop,
    late: () => isLate,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

function noting(notes: readonly string[], result: RunResult): RunResult {
  return notes.length === 0 ? result : { ...result, warnings: [...result.warnings, ...notes] };
}
