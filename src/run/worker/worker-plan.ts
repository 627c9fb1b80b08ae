import { posix } from 'node:path';
import { sha256 } from '../../files/sha256.js';
import type { Action } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import type { SandboxCommand } from '../../sandbox/sandbox.js';
import {
  constantArgs,
  mountIdentities,
  pathInside,
  processTargetOf,
  type SandboxProfile,
  sandboxCommandFor,
} from '../sandbox-command.js';
import type { ProcessServices } from '../sandboxed-process.js';
import { strippedPath, withWorkerChannel, workerArgs } from './command.js';

type FunctionAction = Extract<Action, { kind: 'function' }>;

/** The command of a worker process, and its key in the process pool. */
export interface WorkerPlan {
  readonly command: Omit<SandboxCommand, 'egress'>;
  readonly key: string;
}

const maxCachedPlans = 256;
const planCache = new WeakMap<ProcessServices, Map<string, WorkerPlan>>();

interface CachedPlan {
  readonly processServices: ProcessServices;
  readonly plan: WorkerPlan;
}
const mountlessCache = new WeakMap<SandboxProfile, Map<string, CachedPlan>>();

/**
 * The plan for one call, from a cache if nothing changed. The cache key contains everything that the plan depends on,
 * including the identities of the mounted files and folders. A plan with slot values has no such key, because the key
 * would contain the values in clear text.
 */
export function workerPlan(
  action: FunctionAction,
  config: JsonObject,
  profile: SandboxProfile,
  processServices: ProcessServices,
): WorkerPlan {
  // The same profile object without mounts: nothing on this machine can have changed.
  const hasNoMounts = profile.roots.length === 0 && profile.hidden.length === 0;
  const cached = hasNoMounts ? mountlessCache.get(profile)?.get(action.program) : undefined;
  if (cached?.processServices === processServices) return cached.plan;
  const plan = plannedFor(action, config, profile, processServices);
  if (hasNoMounts) {
    const programs = mountlessCache.get(profile) ?? new Map<string, CachedPlan>();
    mountlessCache.set(profile, programs.set(action.program, { processServices, plan }));
  }
  return plan;
}

function plannedFor(
  action: FunctionAction,
  config: JsonObject,
  profile: SandboxProfile,
  processServices: ProcessServices,
): WorkerPlan {
  const identities = mountIdentities(profile);
  if (profile.slots.size > 0) return planOf(action, config, profile, processServices, identities);
  const known = planCache.get(processServices) ?? new Map<string, WorkerPlan>();
  planCache.set(processServices, known);
  // The whole profile, so that a member added later is part of the key too.
  const cacheKey = JSON.stringify([
    action.program,
    { ...profile, package: profile.package.id, slots: null, runtimes: [...profile.runtimes] },
    identities,
  ]);
  const found = known.get(cacheKey);
  if (found !== undefined) return found;
  const made = planOf(action, config, profile, processServices, identities);
  known.set(cacheKey, made);
  const [oldest] = known.keys();
  if (known.size > maxCachedPlans && oldest !== undefined) known.delete(oldest);
  return made;
}

function planOf(
  action: FunctionAction,
  config: JsonObject,
  profile: SandboxProfile,
  processServices: ProcessServices,
  identities: readonly string[],
): WorkerPlan {
  const command = workerCommand(action, profile, processServices);
  return { command, key: keyOf(action, command, config, profile, identities) };
}

/** The command of the worker process for the functions of a program. */
function workerCommand(
  { program }: FunctionAction,
  profile: SandboxProfile,
  { sandbox }: ProcessServices,
): Omit<SandboxCommand, 'egress'> {
  const target = processTargetOf(profile.package, program);
  const [file] = constantArgs(target) ?? [];
  if (target.runtime === undefined || file === undefined)
    throw new HostError('not_supported', `the program ${program} has no file with functions`);
  const entry = pathInside(profile, sandbox, posix.join(target.directory, strippedPath(file)));
  const command = sandboxCommandFor(profile, program, workerArgs(target.runtime.language, entry), sandbox);
  return { ...command, argv: withWorkerChannel(command.argv) };
}

/** Different for every combination of code, caller, profile and values. Contains only a hash of the values. */
function keyOf(
  action: FunctionAction,
  { argv, ...command }: Omit<SandboxCommand, 'egress'>,
  config: JsonObject,
  profile: SandboxProfile,
  identities: readonly string[],
): string {
  const { digest, principal, network, package: pkg, runtimes } = profile;
  // Digest and program stand for the arguments, which are long.
  const interpreter = runtimes.get(action.program)?.interpreter.path ?? argv[0];
  const inputs = [digest, principal, action.program, interpreter, command, network, config, identities];
  return `${pkg.id} ${sha256(canonicalJson(inputs as unknown as Json))} ${principal}`;
}

/** Package and principal of a key. */
export function ownerOf(key: string): { package: string; principal: string } {
  const [id = '', hash = ''] = key.split(' ', 2);
  return { package: id, principal: key.slice(id.length + hash.length + 2) };
}
