import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Action } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../model/json.js';
import type { Slot } from '../model/slot.js';
import type { SandboxCommand } from '../sandbox/sandbox.js';
import {
  type Confinement,
  commandFor,
  constantWords,
  pathInside,
  placesOf,
  processOf,
  stateInside,
} from './launch.js';
import type { ProcessPool } from './pool.js';
import type { RunRequest, RunResult } from './run.js';
import { type Machine, spawnConfined } from './spawn.js';
import { strippedPath, withChannel, workerWords } from './worker/command.js';
import { readOutcome } from './worker/outcome.js';
import { WorkerProcess } from './worker/process.js';

type FunctionAction = Extract<Action, { kind: 'function' }>;

/**
 * Calls a function of the package in a process that is kept for the next call. `remaining` is the call with the time that
 * is left of it; `patience` ends the waiting for a process.
 */
export async function runFunction(
  action: FunctionAction,
  remaining: () => RunRequest,
  confinement: Confinement,
  machine: Machine,
  pool: ProcessPool,
  patience: () => AbortSignal,
): Promise<RunResult> {
  const request = remaining();
  const { input, outputBytes, signal } = request;
  const name = `${request.package.id}/${request.tool.name}`;
  const command = workerCommand(action, confinement, machine);
  const config = contextOf(confinement);
  const key = keyOf(action, command, config, confinement);
  const start = () =>
    new WorkerProcess(spawnConfined(command, confinement, machine), confinement.limits.cpuSeconds);
  return pool.use({ key, signal, patience, start }, async (worker) => {
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
      timeoutMs: remaining().timeoutMs,
      signal,
      outputBytes,
    });
    if (outcome.refusals.length > 0) request.onRefused(outcome.refusals.map((it) => `${it.host}:${it.port}`));
    return readOutcome(outcome, name, outputBytes, confinement);
  });
}

/** The command line of the process that serves the functions of a program. */
function workerCommand(
  { program }: FunctionAction,
  confinement: Confinement,
  { sandbox }: Machine,
): Omit<SandboxCommand, 'egress'> {
  const target = processOf(confinement.package, program);
  const [file] = constantWords(target) ?? [];
  if (target.runtime === undefined || file === undefined)
    throw new HostError('not_supported', `the program ${program} has no file with functions`);
  const entry = pathInside(confinement, sandbox, posix.join(target.directory, strippedPath(file)));
  const command = commandFor(confinement, program, workerWords(target.runtime.language, entry), sandbox);
  return { ...command, argv: withChannel(command.argv) };
}

/** What handlers are given beside their arguments: each slot by its name, of its own type. */
function contextOf({ package: of, slots }: Confinement): JsonObject {
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

/** The same code, caller, confinement and values, or another process. Values do not stand in it in clear. */
function keyOf(
  action: FunctionAction,
  { argv, ...command }: Omit<SandboxCommand, 'egress'>,
  config: JsonObject,
  confinement: Confinement,
): string {
  const { digest, principal, network, package: of, runtimes } = confinement;
  // The digest and the program stand for the words of the command line, which are long.
  const interpreter = runtimes.get(action.program)?.interpreter.path ?? argv[0];
  const told = [
    digest,
    principal,
    action.program,
    interpreter,
    command,
    network,
    config,
    placesOf(confinement),
  ];
  const hash = createHash('sha256').update(canonicalJson(told as unknown as Json));
  return `${of.id} ${hash.digest('hex')} ${principal}`;
}

/** Whose process stands under a key. */
export function ownerOf(key: string): { package: string; principal: string } {
  const [of = '', hash = ''] = key.split(' ', 2);
  return { package: of, principal: key.slice(of.length + hash.length + 2) };
}
