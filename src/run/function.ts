import type { Action } from '../model/action.js';
import type { CancelSignal } from '../model/cancel-signal.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { asNotStarted } from './not-started.js';
import type { RunRequest, RunResult } from './run.js';
import { dataFolderInside, type SandboxProfile } from './sandbox-command.js';
import { type ProcessServices, spawnSandboxed } from './sandboxed-process.js';
import { readWorkerOutcome } from './worker/worker-outcome.js';
import type { WorkerPool } from './worker/worker-pool.js';
import { WorkerProcess } from './worker/worker-process.js';

type FunctionAction = Extract<Action, { kind: 'function' }>;

/**
 * Calls a function of the package in a pooled process. `waitSignal` ends the wait for a free process; `leftMs` is the
 * remaining time of the call.
 */
export async function runFunction(
  action: FunctionAction,
  request: RunRequest,
  profile: SandboxProfile,
  processServices: ProcessServices,
  pool: WorkerPool,
  { waitSignal, leftMs }: { readonly waitSignal: () => CancelSignal; readonly leftMs: () => number },
): Promise<RunResult> {
  const { input, outputBytes, signal } = request;
  const name = `${request.package.id}/${request.tool.name}`;
  const config = contextOf(profile);
  const { command, key } = pool.plans.get(action, config, profile);
  const start = () =>
    new WorkerProcess(spawnSandboxed(command, profile, processServices), {
      cpuSeconds: profile.limits.cpuSeconds,
      isOutdated: () => profile.guard?.isOutdated() === true,
    });
  return pool.use(
    { key, owner: profile.owner, purpose: request.tool.name, signal, waitSignal, start },
    async (worker) => {
      const workerRequest = {
        export: action.export,
        convention: action.convention,
        startWith: action.startWith ?? [],
        tool: request.tool.name,
        input,
        config,
        dataDir: dataFolderInside(profile, processServices.sandbox),
        idempotencyKey: request.idempotencyKey ?? null,
      };
      const { onNetworkUsed, timeoutMs: callTimeoutMs } = request;
      const limits = { name, timeoutMs: leftMs(), callTimeoutMs, signal, outputBytes, onNetworkUsed };
      try {
        const outcome = await worker.call(workerRequest, limits);
        if (outcome.deniedHosts.length > 0)
          request.onNetworkDenied(outcome.deniedHosts.map((it) => `${it.host}:${it.port}`));
        return readWorkerOutcome(outcome, name, outputBytes, profile);
      } catch (error) {
        // The caller chooses the timeout, so one says nothing about the program.
        const isTimeout = error instanceof HostError && error.code === 'timeout';
        throw worker.started || isTimeout ? error : asNotStarted(error);
      }
    },
  );
}

/** The context of handlers: the value of each slot by name, as text: "false" stays "false", as tools compare it. */
function contextOf({ package: pkg, slots }: SandboxProfile): JsonObject {
  const values = pkg.slots.flatMap((slot) => {
    const value = slots.get(slot.name)?.value;
    return value === undefined || slot.delivery.kind !== 'context' ? [] : [[slot.name, value] as const];
  });
  return Object.fromEntries(values);
}
