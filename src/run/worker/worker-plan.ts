import { posix } from 'node:path';
import { sha256 } from '../../files/sha256.js';
import type { Action } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import type { Sandbox, SandboxCommand } from '../../sandbox/sandbox.js';
import {
  constantArgs,
  mountIdentities,
  pathInside,
  processTargetOf,
  type SandboxProfile,
  sandboxCommandFor,
} from '../sandbox-command.js';
import { strippedPath, withWorkerChannel, workerArgs } from './command.js';

type FunctionAction = Extract<Action, { kind: 'function' }>;

/** The command of a worker process, and its key in the process pool. */
export interface WorkerPlan {
  readonly command: Omit<SandboxCommand, 'egress'>;
  readonly key: string;
}

const maxPlans = 256;

/**
 * The plans of one pool, whose processes all run in the same sandbox. A plan is made again only if something changed. The
 * cache key contains everything that the plan depends on, including the identities of the mounted files and folders. A plan
 * with slot values has no such key, because the key would contain the values in clear text.
 */
export class WorkerPlans {
  readonly #sandbox: Sandbox;
  readonly #byKey = new Map<string, WorkerPlan>();
  readonly #withoutMounts = new WeakMap<SandboxProfile, Map<string, WorkerPlan>>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  get(action: FunctionAction, config: JsonObject, profile: SandboxProfile): WorkerPlan {
    // The same profile object without mounts: nothing on this machine can have changed.
    const hasNoMounts = profile.roots.length === 0 && profile.hidden.length === 0;
    const cached = hasNoMounts ? this.#withoutMounts.get(profile)?.get(action.program) : undefined;
    if (cached !== undefined) return cached;
    const plan = this.#planFor(action, config, profile);
    if (hasNoMounts) {
      const programs = this.#withoutMounts.get(profile) ?? new Map<string, WorkerPlan>();
      this.#withoutMounts.set(profile, programs.set(action.program, plan));
    }
    return plan;
  }

  #planFor(action: FunctionAction, config: JsonObject, profile: SandboxProfile): WorkerPlan {
    const identities = mountIdentities(profile);
    if (profile.slots.size > 0) return planOf(action, config, profile, this.#sandbox, identities);
    // The whole profile, so that a member added later is part of the key too.
    const cacheKey = JSON.stringify([
      action.program,
      { ...profile, package: profile.package.id, slots: null, runtimes: [...profile.runtimes] },
      identities,
    ]);
    const found = this.#byKey.get(cacheKey);
    if (found !== undefined) return found;
    const made = planOf(action, config, profile, this.#sandbox, identities);
    this.#byKey.set(cacheKey, made);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > maxPlans && oldest !== undefined) this.#byKey.delete(oldest);
    return made;
  }
}

function planOf(
  action: FunctionAction,
  config: JsonObject,
  profile: SandboxProfile,
  sandbox: Sandbox,
  identities: readonly string[],
): WorkerPlan {
  const command = workerCommand(action, profile, sandbox);
  return { command, key: keyOf(action, command, config, profile, identities) };
}

/** The command of the worker process for the functions of a program. */
function workerCommand(
  { program }: FunctionAction,
  profile: SandboxProfile,
  sandbox: Sandbox,
): Omit<SandboxCommand, 'egress'> {
  const target = processTargetOf(profile.package, program);
  const [file] = constantArgs(target) ?? [];
  if (target.runtime === undefined || file === undefined)
    throw new HostError('not_supported', `the program ${program} has no file with functions`);
  const entry = pathInside(profile, sandbox, posix.join(target.directory, strippedPath(file)));
  const command = sandboxCommandFor(profile, program, workerArgs(target.runtime.language, entry), sandbox);
  return { ...command, argv: withWorkerChannel(command.argv) };
}

/** Different for every combination of code, owner, profile and values. Contains only a hash of the values. */
function keyOf(
  action: FunctionAction,
  { argv, ...command }: Omit<SandboxCommand, 'egress'>,
  config: JsonObject,
  profile: SandboxProfile,
  identities: readonly string[],
): string {
  const { digest, owner, network, package: pkg, runtimes } = profile;
  // Digest and program stand for the arguments, which are long.
  const interpreter = runtimes.get(action.program)?.interpreter.path ?? argv[0];
  const inputs = [digest, owner, action.program, interpreter, command, network, config, identities];
  return `${pkg.id} ${sha256(canonicalJson(inputs as unknown as Json))}`;
}

/** The package of a key. */
export function packageOfKey(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
