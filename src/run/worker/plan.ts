import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Action } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import type { SandboxCommand } from '../../sandbox/sandbox.js';
import { commandFor, constantArgs, pathInside, placesOf, processOf, type SandboxProfile } from '../launch.js';
import type { ProcessServices } from '../spawn.js';
import { strippedPath, withChannel, workerArgs } from './command.js';

type FunctionAction = Extract<Action, { kind: 'function' }>;

/** What a process for the functions of a program is started with, and the key by which it is found again. */
export interface WorkerPlan {
  readonly command: Omit<SandboxCommand, 'egress'>;
  readonly key: string;
}

const remembered = 256;
const plans = new WeakMap<ProcessServices, Map<string, WorkerPlan>>();

interface Bare {
  readonly machine: ProcessServices;
  readonly plan: WorkerPlan;
}
const bare = new WeakMap<SandboxProfile, Map<string, Bare>>();

/**
 * The plan for one call. It is made anew when anything that it is made from is different: all of that stands in the
 * words it is remembered by, and the folders and files behind the paths are looked at each time. With values it is never
 * remembered, because values would stand there in clear.
 */
export function workerPlan(
  action: FunctionAction,
  config: JsonObject,
  confinement: SandboxProfile,
  machine: ProcessServices,
): WorkerPlan {
  // The very same confinement, with nothing on this machine behind it that could be another by now.
  const isBare = confinement.roots.length === 0 && confinement.hidden.length === 0;
  const made = isBare ? bare.get(confinement)?.get(action.program) : undefined;
  if (made?.machine === machine) return made.plan;
  const plan = plannedFor(action, config, confinement, machine);
  if (isBare) {
    const programs = bare.get(confinement) ?? new Map<string, Bare>();
    bare.set(confinement, programs.set(action.program, { machine, plan }));
  }
  return plan;
}

function plannedFor(
  action: FunctionAction,
  config: JsonObject,
  confinement: SandboxProfile,
  machine: ProcessServices,
): WorkerPlan {
  const places = placesOf(confinement);
  if (confinement.slots.size > 0) return planOf(action, config, confinement, machine, places);
  const known = plans.get(machine) ?? new Map<string, WorkerPlan>();
  plans.set(machine, known);
  // Everything that a confinement has, so that what is added to it one day is not forgotten here.
  const words = JSON.stringify([
    action.program,
    { ...confinement, package: confinement.package.id, slots: null, runtimes: [...confinement.runtimes] },
    places,
  ]);
  const found = known.get(words);
  if (found !== undefined) return found;
  const made = planOf(action, config, confinement, machine, places);
  known.set(words, made);
  const [oldest] = known.keys();
  if (known.size > remembered && oldest !== undefined) known.delete(oldest);
  return made;
}

function planOf(
  action: FunctionAction,
  config: JsonObject,
  confinement: SandboxProfile,
  machine: ProcessServices,
  places: readonly string[],
): WorkerPlan {
  const command = workerCommand(action, confinement, machine);
  return { command, key: keyOf(action, command, config, confinement, places) };
}

/** The command line of the process that serves the functions of a program. */
function workerCommand(
  { program }: FunctionAction,
  confinement: SandboxProfile,
  { sandbox }: ProcessServices,
): Omit<SandboxCommand, 'egress'> {
  const target = processOf(confinement.package, program);
  const [file] = constantArgs(target) ?? [];
  if (target.runtime === undefined || file === undefined)
    throw new HostError('not_supported', `the program ${program} has no file with functions`);
  const entry = pathInside(confinement, sandbox, posix.join(target.directory, strippedPath(file)));
  const command = commandFor(confinement, program, workerArgs(target.runtime.language, entry), sandbox);
  return { ...command, argv: withChannel(command.argv) };
}

/** The same code, caller, confinement and values, or another process. Values do not stand in it in clear. */
function keyOf(
  action: FunctionAction,
  { argv, ...command }: Omit<SandboxCommand, 'egress'>,
  config: JsonObject,
  confinement: SandboxProfile,
  places: readonly string[],
): string {
  const { digest, principal, network, package: of, runtimes } = confinement;
  // The digest and the program stand for the words of the command line, which are long.
  const interpreter = runtimes.get(action.program)?.interpreter.path ?? argv[0];
  const told = [digest, principal, action.program, interpreter, command, network, config, places];
  const hash = createHash('sha256').update(canonicalJson(told as unknown as Json));
  return `${of.id} ${hash.digest('hex')} ${principal}`;
}

/** Whose process stands under a key. */
export function ownerOf(key: string): { package: string; principal: string } {
  const [of = '', hash = ''] = key.split(' ', 2);
  return { package: of, principal: key.slice(of.length + hash.length + 2) };
}
