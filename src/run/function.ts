import type { Action } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Signal } from '../model/signal.js';
import type { Slot } from '../model/slot.js';
import { type SandboxProfile, stateInside } from './launch.js';
import type { ProcessPool } from './pool.js';
import type { RunRequest, RunResult } from './run.js';
import { type ProcessServices, spawnConfined } from './spawn.js';
import { readOutcome } from './worker/outcome.js';
import { workerPlan } from './worker/plan.js';
import { WorkerProcess } from './worker/process.js';

type FunctionAction = Extract<Action, { kind: 'function' }>;

/**
 * Calls a function of the package in a process that is kept for the next call. `patience` ends the waiting for a process;
 * `leftMs` is what is left of the call's time.
 */
export async function runFunction(
  action: FunctionAction,
  request: RunRequest,
  confinement: SandboxProfile,
  machine: ProcessServices,
  pool: ProcessPool,
  { patience, leftMs }: { readonly patience: () => Signal; readonly leftMs: () => number },
): Promise<RunResult> {
  const { input, outputBytes, signal } = request;
  const name = `${request.package.id}/${request.tool.name}`;
  const config = contextOf(confinement);
  const { command, key } = workerPlan(action, config, confinement, machine);
  const start = () =>
    new WorkerProcess(spawnConfined(command, confinement, machine), confinement.limits.cpuSeconds);
  return pool.use({ key, use: request.tool.name, signal, patience, start }, async (worker) => {
    const question = {
      export: action.export,
      convention: action.convention,
      tool: request.tool.name,
      input,
      config,
      dataDir: stateInside(confinement, machine.sandbox),
    };
    const outcome = await worker.call(question, {
      name,
      timeoutMs: leftMs(),
      givenMs: request.timeoutMs,
      signal,
      outputBytes,
    });
    if (outcome.refusals.length > 0) request.onRefused(outcome.refusals.map((it) => `${it.host}:${it.port}`));
    return readOutcome(outcome, name, outputBytes, confinement);
  });
}

/** What handlers are given beside their arguments: each slot by its name, of its own type. */
function contextOf({ package: of, slots }: SandboxProfile): JsonObject {
  const values = of.slots.flatMap((slot) => {
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
      if (value.trim() === '' || !Number.isFinite(number)) throw wrongValue(name, 'a number');
      return number;
    }
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw wrongValue(name, 'true or false');
      return value === 'true';
    case 'json':
      try {
        return JSON.parse(value);
      } catch {
        throw wrongValue(name, 'JSON');
      }
    case 'text':
    case 'choice':
      return value;
  }
}

/** Says nothing of the value itself. */
function wrongValue(slot: string, wanted: string): HostError {
  return new HostError('needs_setup', `the value of ${slot} is not ${wanted}`, { hint: 'set it anew' });
}
