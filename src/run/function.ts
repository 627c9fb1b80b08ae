import type { Action } from '../model/action.js';
import type { CancelSignal } from '../model/cancel-signal.js';
import { HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import { parseBounded, requestLimits } from '../model/json-bounds.js';
import type { Slot } from '../model/slot.js';
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
        tool: request.tool.name,
        input,
        config,
        dataDir: dataFolderInside(profile, processServices.sandbox),
      };
      const outcome = await worker.call(workerRequest, {
        name,
        timeoutMs: leftMs(),
        callTimeoutMs: request.timeoutMs,
        signal,
        outputBytes,
      });
      if (outcome.deniedHosts.length > 0)
        request.onNetworkDenied(outcome.deniedHosts.map((it) => `${it.host}:${it.port}`));
      return readWorkerOutcome(outcome, name, outputBytes, profile);
    },
  );
}

/** The context of handlers: the value of each slot by name, converted to the slot's type. */
function contextOf({ package: pkg, slots }: SandboxProfile): JsonObject {
  const values = pkg.slots.flatMap((slot) => {
    const value = slots.get(slot.name)?.value;
    if (value === undefined || slot.delivery.kind !== 'context') return [];
    return [[slot.name, typed(slot, value)] as const];
  });
  return Object.fromEntries(values);
}

function typed({ type, name }: Slot, value: string): Json {
  switch (type) {
    case 'number': {
      const number = Number(value);
      if (value.trim() === '' || !Number.isFinite(number)) throw invalidSlotValue(name, 'a number');
      return number;
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw invalidSlotValue(name, 'true or false');
      return value === 'true';
    case 'json':
      try {
        return parseBounded(value, requestLimits);
      } catch {
        throw invalidSlotValue(name, 'JSON');
      }
    case 'text':
    case 'choice':
      return value;
  }
}

/** Does not show the value, which may be secret. */
function invalidSlotValue(slot: string, expected: string): HostError {
  return new HostError('needs_setup', `the value of ${slot} is not ${expected}`, { hint: 'set it again' });
}
