import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json } from '../model/json.js';
import { denialFor } from '../policy/denial.js';
import { assertRules } from '../policy/rule-check.js';
import { keyStorageKinds } from '../secrets/key-storage.js';
import type { SessionPolicy } from './host.js';
import type { ContainerPolicy } from './session-policy.js';

/** A policy that cannot be held is no policy: the session does not open with it. */
export function assertPolicy(policy: SessionPolicy): void {
  const { rules = [], deny = [], roots = [], trusted = [], noGuesses = [], containers = {} } = policy;
  for (const list of [deny, roots, trusted, noGuesses]) {
    if (!Array.isArray(list) || list.some((it) => typeof it !== 'string'))
      throw new HostError('invalid_config', 'deny, roots, trusted and noGuesses are lists of texts');
  }
  assertSealing(policy.sealArguments);
  assertEngine(containers);
  assertRules(rules);
  denialFor(deny, '');
  const denied = deny.flatMap((it) => /(?:^|=)(?:read|write):(?!\*$)(.*)$/s.exec(it)?.[1] ?? []);
  const relative = [...roots, ...denied].find((it) => !isAbsolute(it));
  if (relative !== undefined)
    throw new HostError('invalid_config', `${JSON.stringify(relative)} is not an absolute path`);
}

/** Whoever wants arguments kept and says it wrongly would find none later. */
function assertSealing(sealing: unknown): void {
  if (sealing === undefined) return;
  const keeper = isObject(sealing) ? sealing.keeper : null;
  if (keeper !== undefined && !keyStorageKinds.some((it) => it === keeper))
    throw new HostError(
      'invalid_config',
      'sealArguments is an object, with a keeper of file, passphrase or keychain',
      {
        hint: 'leave the keeper out for the usual one: sealArguments: {}',
      },
    );
}

/** It runs with the rights of the host, so nothing is guessed from a word that is not understood. */
function assertEngine({ engine = 'podman', runtime = 'runc' }: ContainerPolicy): void {
  if (engine !== 'podman' && engine !== 'docker' && !isAbsolute(engine))
    throw new HostError('invalid_config', `container.engine ${JSON.stringify(engine)} is no engine`, {
      hint: 'write "podman", "docker" or an absolute path',
    });
  if (!/^[A-Za-z0-9/][\w./-]*$/.test(runtime))
    throw new HostError('invalid_config', `container.runtime ${JSON.stringify(runtime)} is no runtime`, {
      hint: 'write the path of a program such as "/usr/sbin/runc"',
    });
}

/** What a person who approves a call agrees to besides the call: another policy, another digest. */
export function policyDigest({ rules = [], ...rest }: SessionPolicy): string {
  // Where a rule stands does not change what it says.
  const said = rules.map(({ origin, ...rule }) =>
    canonicalJson(withoutUndefined({ ...rule, by: origin.kind })),
  );
  const told = canonicalJson(withoutUndefined({ ...rest, rules: said.sort() }));
  return createHash('sha256').update(told).digest('hex');
}

function withoutUndefined(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
