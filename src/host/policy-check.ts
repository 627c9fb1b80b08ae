import { isAbsolute } from 'node:path';
import { parseCertificates } from '../files/certificate-authorities.js';
import { sha256 } from '../files/sha256.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json } from '../model/json.js';
import { quarantineActions } from '../model/quarantine-action.js';
import {
  type RegistrySetting,
  registryNamePattern,
  registryNamespacePattern,
  rootFingerprintPattern,
} from '../model/registry-setting.js';
import { exemptionHint } from '../model/scan-exemption.js';
import { parseServerRequest } from '../model/server-request.js';
import {
  hiddenInputHint,
  hideSettingHint,
  inputSettingHint,
  modeSettingHint,
  parseHiddenInput,
  parseHideSetting,
  parseInputSetting,
  parseModeSetting,
  taintModes,
} from '../model/taint-setting.js';
import { parseViolationSetting, violationActions } from '../model/violation.js';
import { denialFor } from '../policy/denial.js';
import { assertRules } from '../policy/rules/rule-check.js';
import { isKnownExemption } from '../policy/scan/exemption.js';
import { labelProblems } from '../policy/taint/label-overlay.js';
import { keyStorageKinds } from '../secrets/key-storage.js';
import type { SessionPolicy } from './host.js';
import type { ContainerPolicy, OAuthPolicy, TaintPolicy } from './session-policy.js';

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
  assertRegistries(policy.registries ?? []);
  assertSealing(policy.sealArguments);
  if (policy.vaultKey !== undefined && !keyStorageKinds.includes(policy.vaultKey))
    throw new HostError('invalid_config', 'vaultKey must be file, passphrase or keychain');
  if (![undefined, 'call', 'group'].includes(policy.auditDurability))
    throw new HostError('invalid_config', 'auditDurability must be call or group');
  if (policy.installRequests !== undefined && typeof policy.installRequests !== 'boolean')
    throw new HostError('invalid_config', 'installRequests must be true or false');
  const { serverRequests = [] } = policy;
  if (
    !Array.isArray(serverRequests) ||
    serverRequests.some((it) => parseServerRequest(String(it)) === undefined)
  )
    throw new HostError(
      'invalid_config',
      'serverRequests must be a list of "sampling", "roots" or "PACKAGE=…"',
    );
  assertTaint(policy.taint ?? {});
  assertEngine(policy.containers ?? {});
  assertViolationPolicy(policy.onViolation);
  if (policy.onQuarantine !== undefined && !quarantineActions.includes(policy.onQuarantine))
    throw new HostError('invalid_config', `onQuarantine must be one of ${quarantineActions.join(', ')}`);
  assertClients(policy.oauth ?? {});
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

/** A mistake would mean that nothing happens, and the operator would find out too late. */
function assertViolationPolicy(policy: unknown): void {
  if (policy === undefined) return;
  const { default: action = 'report', packages = [] } = isObject(policy) ? policy : { default: null };
  const isAction = violationActions.some((it) => it === action);
  const isList =
    Array.isArray(packages) &&
    packages.every((it) => typeof it === 'string' && parseViolationSetting(it) !== undefined);
  if (isAction && isList) return;
  throw new HostError(
    'invalid_config',
    'onViolation must be { default: ACTION, packages: ["PACKAGE=ACTION"] }',
    {
      hint: `an action is one of ${violationActions.join(', ')}`,
    },
  );
}

/** A mistake would mean fewer or more questions than the operator thinks. */
function assertTaint({
  mode = 'standard',
  packages = [],
  clients = [],
  own = [],
  inputs = [],
  userText = [],
  hide = [],
  hiddenInputs = [],
  outsideClients = [],
  labels,
}: TaintPolicy): void {
  if (!taintModes.some((it) => it === mode))
    throw new HostError('invalid_config', `taint.mode ${JSON.stringify(mode)} is not a mode`, {
      hint: `use one of ${taintModes.join(', ')}`,
    });
  const wrong = [...packages, ...clients].find((it) => parseModeSetting(String(it)) === undefined);
  if (wrong !== undefined)
    throw new HostError('invalid_config', `taint: ${JSON.stringify(wrong)} is not a setting`, {
      hint: modeSettingHint,
    });
  const unread = inputs.find((it) => parseInputSetting(String(it)) === undefined);
  if (unread !== undefined)
    throw new HostError('invalid_config', `taint.inputs: ${JSON.stringify(unread)} is not a setting`, {
      hint: inputSettingHint,
    });
  const unhidden = hide.find((it) => parseHideSetting(String(it)) === undefined);
  if (unhidden !== undefined)
    throw new HostError('invalid_config', `taint.hide: ${JSON.stringify(unhidden)} is not a setting`, {
      hint: hideSettingHint,
    });
  const unopened = hiddenInputs.find((it) => parseHiddenInput(String(it)) === undefined);
  if (unopened !== undefined)
    throw new HostError(
      'invalid_config',
      `taint.hiddenInputs: ${JSON.stringify(unopened)} is not a setting`,
      {
        hint: hiddenInputHint,
      },
    );
  const [problem, ...more] = labels === undefined ? [] : labelProblems(labels);
  if (problem !== undefined)
    throw new HostError('invalid_config', `taint.labels: ${[problem, ...more.slice(0, 4)].join('; ')}`, {
      hint: 'docs/design/taint.md has an example',
    });
  for (const [name, list] of Object.entries({ userText, outsideClients }))
    if (list.some((it) => typeof it !== 'string' || it === ''))
      throw new HostError('invalid_config', `taint.${name} must be a list of principals`);
  if (own.some((it) => typeof it !== 'string' || it.length < 3))
    throw new HostError('invalid_config', 'taint.own must be a list of addresses, accounts or hosts');
}

function assertClients({ clients = {}, clientMetadataUrl }: OAuthPolicy): void {
  const isWrong = Object.values(clients).some((it) => typeof it !== 'string' || !/^[\x21-\x7e]+$/.test(it));
  if (isWrong) throw new HostError('invalid_config', 'oauth.clients must have a client id for each issuer');
  const url = clientMetadataUrl ?? 'https://example.com/client.json';
  const isDocument = URL.canParse(url) && /^https:\/\/[^/]+\/./.test(new URL(url).href);
  if (!isDocument)
    throw new HostError('invalid_config', 'oauth.client_metadata_url must be an https URL with a path');
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
  // These change nothing that is approved.
  const {
    rules = [],
    protect: _protect,
    vaultKey: _vaultKey,
    installRequests: _requests,
    oauth: _oauth,
    onViolation: _onViolation,
    ...rest
  } = policy;
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

function assertRegistries(registries: readonly RegistrySetting[]): void {
  const wrong = (problem: string) => new HostError('invalid_config', `registries: ${problem}`);
  if (!Array.isArray(registries) || !registries.every((it) => isObject(it as unknown)))
    throw wrong('it must be a list of registries');
  const names = registries.map((it) => it.name);
  if (!names.every((it) => typeof it === 'string' && registryNamePattern.test(it)))
    throw wrong('a name is not lower-case letters, digits and "-"');
  if (new Set(names).size !== names.length) throw wrong('two have the same name');
  for (const { name, url, path, root, priority = 0, namespaces = [] } of registries) {
    if ((url === undefined) === (path === undefined)) throw wrong(`${name} has either url or path`);
    if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
      throw wrong(`the URL of ${name} is not a web address`);
    if (path !== undefined && !isAbsolute(String(path))) throw wrong(`the path of ${name} must be absolute`);
    if (!rootFingerprintPattern.test(String(root)) && !isAbsolute(String(root)))
      throw wrong(`the root of ${name} is neither a SHA-256 nor an absolute path`);
    if (!Number.isInteger(priority)) throw wrong(`the priority of ${name} is not a whole number`);
    if (!Array.isArray(namespaces) || !namespaces.every((it) => registryNamespacePattern.test(String(it))))
      throw wrong(`the namespaces of ${name} are not names of namespaces`);
  }
}
