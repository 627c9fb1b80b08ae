import { isAbsolute } from 'node:path';
import { parseCertificates } from '../files/certificate-authorities.js';
import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json } from '../model/json.js';
import { exemptionHint } from '../model/scan-exemption.js';
import { denialFor } from '../policy/denial.js';
import { assertRules } from '../policy/rules/rule-check.js';
import { isKnownExemption } from '../policy/scan/exemption.js';
import { keyStorageKinds } from '../secrets/key-storage.js';
import type { SessionPolicy } from './host.js';
import type { ContainerPolicy } from './session-policy.js';

/** Throws `invalid_config` for a policy that cannot be enforced; a session does not open with it. */
export function assertPolicy(policy: SessionPolicy): void {
  const {
    rules = [],
    deny = [],
    roots = [],
    protect = [],
    trusted = [],
    noGuesses = [],
    scanExempt = [],
  } = policy;
  for (const list of [deny, roots, protect, trusted, noGuesses, scanExempt]) {
    if (!Array.isArray(list) || list.some((it) => typeof it !== 'string'))
      throw new HostError(
        'invalid_config',
        'deny, roots, protect, trusted, noGuesses and scanExempt must be lists of strings',
      );
  }
  const unread = scanExempt.find((it) => !isKnownExemption(it));
  if (unread !== undefined)
    throw new HostError('invalid_config', `scanExempt: ${JSON.stringify(unread)} is not an exemption`, {
      hint: exemptionHint,
    });
  if (policy.caCertificates !== undefined) parseCertificates(String(policy.caCertificates), 'caCertificates');
  assertSealing(policy.sealArguments);
  if (policy.vaultKey !== undefined && !keyStorageKinds.includes(policy.vaultKey))
    throw new HostError('invalid_config', 'vaultKey must be file, passphrase or keychain');
  assertEngine(policy.containers ?? {});
  assertRules(rules);
  denialFor(deny, '');
  const denied = deny.flatMap((it) => /(?:^|=)(?:read|write):(?!\*$)(.*)$/s.exec(it)?.[1] ?? []);
  const relative = [...roots, ...protect, ...denied].find((it) => !isAbsolute(it));
  if (relative !== undefined)
    throw new HostError('invalid_config', `${JSON.stringify(relative)} is not an absolute path`);
}

/** Rejects a mistake at once: otherwise no arguments would be kept, and the operator would find out too late. */
function assertSealing(sealing: unknown): void {
  if (sealing === undefined) return;
  const storage = isObject(sealing) ? sealing.keyStorage : null;
  if (storage !== undefined && !keyStorageKinds.some((it) => it === storage))
    throw new HostError(
      'invalid_config',
      'sealArguments must be an object; its keyStorage must be file, passphrase or keychain',
      {
        hint: 'leave keyStorage out for the default: sealArguments: {}',
      },
    );
}

/** The engine runs with the rights of the host, so an unknown value is rejected and not guessed at. */
function assertEngine({ engine = 'podman', runtime = 'runc' }: ContainerPolicy): void {
  if (engine !== 'podman' && engine !== 'docker' && !isAbsolute(engine))
    throw new HostError(
      'invalid_config',
      `container.engine ${JSON.stringify(engine)} is not a container engine`,
      {
        hint: 'use "podman", "docker" or an absolute path',
      },
    );
  if (!/^[A-Za-z0-9/][\w./-]*$/.test(runtime))
    throw new HostError(
      'invalid_config',
      `container.runtime ${JSON.stringify(runtime)} is not a container runtime`,
      {
        hint: 'use the path of a program such as "/usr/sbin/runc"',
      },
    );
}

/** Identifies the policy under which a person approves a call: an approval is void under another policy. */
export function policyDigest(policy: SessionPolicy): string {
  // Protected paths and the place of the vault key change nothing that is approved.
  const { rules = [], protect: _protect, vaultKey: _vaultKey, ...rest } = policy;
  // The position of a rule in its file does not change its meaning.
  const ruleTexts = rules.map(({ origin, ...rule }) =>
    canonicalJson(withoutUndefined({ ...rule, by: origin.kind })),
  );
  const text = canonicalJson(withoutUndefined({ ...rest, rules: ruleTexts.sort() }));
  return sha256(text);
}

function withoutUndefined(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
