// The waivers in a session's settings, and the settings that are in force without those that nobody accepted.
import { isAbsolute, resolve } from 'node:path';
import { parseCertificates } from '../files/certificate-authorities.js';
import { type NotifyTarget, notifyTargetName } from '../model/notify-target.js';
import type { RegistrySetting } from '../model/registry-setting.js';
import type { Rule } from '../model/rule.js';
import type { Waiver, WaiverKind } from '../model/waiver.js';
import { ruleContent, ruleWaives, waivingRuleText, withoutWaiver } from '../policy/rules/waiving-rule.js';
import { defaultSandboxLimits } from '../sandbox/sandbox.js';
import { defaultBrokerUrl } from '../secrets/token-broker.js';
import type { SessionOptions } from './host.js';
import { makeWaiver } from './make-waiver.js';
import type { WaiverGate } from './operator/waiver-gate.js';
import type { LimitPolicy, SessionPolicy } from './session-policy.js';
import { taintInForce, taintWaivers } from './taint-waivers.js';

/** The settings of a session that can contain waivers. */
export interface WaivableSettings {
  readonly policy: SessionPolicy;
  /** Grants, in the syntax of `--allow`. */
  readonly allow: readonly string[];
  /** The workspace. Relative paths of grants start here. */
  readonly root: string;
}

/** Bytes of one answer, if the policy has no limit for it. */
export const defaultOutputBytes = 10 * 1024 * 1024;

const mebibyte = 1024 * 1024;
/** Limits that a policy can raise above the default, with their name in the configuration and its unit. */
const raisable = {
  cpuSeconds: { normal: defaultSandboxLimits.cpuSeconds, name: 'limits.cpu_seconds', unit: 1 },
  memoryBytes: { normal: defaultSandboxLimits.memoryBytes, name: 'limits.memory_mb', unit: mebibyte },
  processes: { normal: defaultSandboxLimits.processes, name: 'limits.processes', unit: 1 },
  openFiles: { normal: defaultSandboxLimits.openFiles, name: 'limits.open_files', unit: 1 },
  diskBytes: { normal: defaultSandboxLimits.diskBytes, name: 'limits.disk_mb', unit: mebibyte },
  outputBytes: { normal: defaultOutputBytes, name: 'limits.output_mb', unit: mebibyte },
} as const satisfies Partial<Record<keyof LimitPolicy, object>>;
type RaisableLimit = keyof typeof raisable;

const maxSubjects = 5;

/** Every waiver in these settings, each content once. */
export function waiversOf(settings: WaivableSettings): readonly Waiver[] {
  const { policy, allow, root } = settings;
  const found = [
    ...(policy.rules ?? []).filter(ruleWaives).map(ruleWaiver),
    ...allow.map((it) => grantWaiver(it, root)),
    ...(policy.trusted ?? []).map((it) => makeWaiver('trusted', it, `answers of ${it} are trusted`)),
    ...(policy.noGuesses ?? []).map((it) =>
      makeWaiver('no-guesses', it, `answers of ${it} keep what only looks like a secret`),
    ),
    ...(policy.scanExempt ?? []).map((it) =>
      makeWaiver('scan-exempt', it, `answers keep what looks like a secret: ${it}`),
    ),
    ...(policy.serverRequests ?? []).map((it) =>
      makeWaiver('server-request', it, `servers may ask the client of a call: ${it}`),
    ),
    ...raisedLimits(policy.limits).map(limitWaiver),
    ...(policy.natsUrl === undefined ? [] : [natsWaiver(policy.natsUrl)]),
    ...(policy.caCertificates === undefined ? [] : [caWaiver(policy.caCertificates)]),
    ...(hasOwnBroker(policy) ? [brokerWaiver(policy.broker?.url ?? '')] : []),
    ...(policy.auditDurability === 'group' ? [durabilityWaiver] : []),
    ...(policy.notify ?? []).filter((it) => it.arguments === true).map(notifyWaiver),
    ...(policy.onQuarantine === 'report' ? [quarantineWaiver] : []),
    ...(policy.registries ?? []).filter((it) => it.acceptExpired === true).map(expiredWaiver),
    ...taintWaivers(policy.taint),
  ];
  return [...new Map(found.map((it) => [it.id, it])).values()];
}

/** The settings without the waivers that are not active. Everything that restricts stays. */
export function settingsInForce<T extends WaivableSettings>(
  settings: T,
  isActive: (id: string) => boolean,
): Pick<T, 'policy' | 'allow'> {
  const { policy, allow, root } = settings;
  const holds = ({ id }: Waiver) => isActive(id);
  const texts = (kind: WaiverKind, list: readonly string[]) =>
    list.filter((it) => holds(makeWaiver(kind, it, '')));
  const {
    rules,
    trusted,
    noGuesses,
    scanExempt,
    limits,
    natsUrl,
    broker,
    caCertificates,
    notify,
    serverRequests,
    taint,
    auditDurability,
    onQuarantine,
    registries,
    ...rest
  } = policy;
  const dropped = raisedLimits(limits).filter((it) => !holds(limitWaiver(it)));
  return {
    allow: allow.filter((it) => holds(grantWaiver(it, root))),
    policy: {
      ...rest,
      ...(rules === undefined
        ? {}
        : { rules: rules.map((it) => (!ruleWaives(it) || holds(ruleWaiver(it)) ? it : withoutWaiver(it))) }),
      ...(trusted === undefined ? {} : { trusted: texts('trusted', trusted) }),
      ...(noGuesses === undefined ? {} : { noGuesses: texts('no-guesses', noGuesses) }),
      ...(scanExempt === undefined ? {} : { scanExempt: texts('scan-exempt', scanExempt) }),
      ...(serverRequests === undefined ? {} : { serverRequests: texts('server-request', serverRequests) }),
      ...(auditDurability === undefined || !holds(durabilityWaiver) ? {} : { auditDurability }),
      ...(onQuarantine === undefined || (onQuarantine === 'report' && !holds(quarantineWaiver))
        ? {}
        : { onQuarantine }),
      ...(registries === undefined
        ? {}
        : {
            registries: registries.map((it) =>
              it.acceptExpired === true && !holds(expiredWaiver(it)) ? withoutExpired(it) : it,
            ),
          }),
      ...(limits === undefined ? {} : { limits: withoutLimits(limits, dropped) }),
      ...(natsUrl === undefined || !holds(natsWaiver(natsUrl)) ? {} : { natsUrl }),
      ...(caCertificates === undefined || !holds(caWaiver(caCertificates)) ? {} : { caCertificates }),
      ...(taint === undefined ? {} : { taint: taintInForce(taint, holds) }),
      ...(notify === undefined
        ? {}
        : {
            notify: notify.map((it) =>
              it.arguments && !holds(notifyWaiver(it)) ? withoutArguments(it) : it,
            ),
          }),
      ...(broker === undefined
        ? {}
        : // The key of a broker that nobody accepted must not go to the default one either.
          {
            broker:
              hasOwnBroker(policy) && !holds(brokerWaiver(broker.url ?? ''))
                ? { ...broker, url: '' }
                : broker,
          }),
    },
  };
}

/**
 * Which waivers are in force on the host of an author: grants, the NATS server and rules of the session, which the author
 * types. The PIN of the operator does not guard that host, so no configuration file may waive anything there.
 */
export function commandLineWaivers(
  { policy = {}, allow = [], root = process.cwd() }: SessionOptions,
  gate: Pick<WaiverGate, 'version' | 'isVerified'>,
): Pick<WaiverGate, 'version' | 'isActive' | 'isVerified'> {
  const typed = waiversOf({ policy, allow, root }).filter(
    ({ kind, origin }) =>
      kind === 'grant' || kind === 'nats' || (kind === 'rule' && origin?.kind === 'session'),
  );
  const ids = new Set(typed.map((it) => it.id));
  return {
    get version() {
      return gate.version;
    },
    isActive: (id) => ids.has(id),
    isVerified: (id) => gate.isVerified(id),
  };
}

/** The waiver that a rule is. */
export function ruleWaiver(rule: Rule): Waiver {
  return { ...makeWaiver('rule', ruleContent(rule), waivingRuleText(rule)), origin: rule.origin };
}

const durabilityWaiver = makeWaiver(
  'durability',
  'group',
  'the audit entry of an ordinary call may reach the disk up to 25 ms after the call starts',
);

const quarantineWaiver = makeWaiver(
  'quarantine',
  'report',
  'calls of releases that their registry warns about run without a question',
);

/** Bound to the place and the root: another registry with the same name is another waiver. */
function expiredWaiver({ name, url, path, root }: RegistrySetting): Waiver {
  const place = url === undefined ? (path ?? '') : withoutLogin(url);
  return makeWaiver(
    'expired-registry',
    { name, place, root },
    `expired metadata of the registry ${name} is accepted`,
  );
}

function withoutExpired({ acceptExpired: _, ...setting }: RegistrySetting): RegistrySetting {
  return setting;
}

/** Absolute: the same relative path means another folder in another workspace. */
function grantWaiver(text: string, root: string): Waiver {
  const [, prefix, path] = /^((?:[A-Za-z0-9][\w.-]*=)?(?:read|write):)(.*)$/s.exec(text) ?? [];
  const grant = path === undefined || isAbsolute(path) ? text : `${prefix}${resolve(root, path)}`;
  return makeWaiver('grant', grant, `the grant ${grant}`);
}

function raisedLimits(limits: LimitPolicy = {}): { readonly key: RaisableLimit; readonly value: number }[] {
  return (Object.keys(raisable) as RaisableLimit[]).flatMap((key) => {
    const value = limits[key];
    // Anything that is not surely a stricter limit counts as a weaker one.
    const isStricter = typeof value === 'number' && value <= raisable[key].normal;
    return value === undefined || isStricter ? [] : [{ key, value }];
  });
}

function limitWaiver({ key, value }: { readonly key: RaisableLimit; readonly value: number }): Waiver {
  const { name, normal, unit } = raisable[key];
  return makeWaiver('limit', { [key]: value }, `${name} is ${value / unit} (default: ${normal / unit})`);
}

function withoutLimits(
  limits: LimitPolicy,
  dropped: readonly { readonly key: RaisableLimit }[],
): LimitPolicy {
  return Object.fromEntries(Object.entries(limits).filter(([key]) => !dropped.some((it) => it.key === key)));
}

function natsWaiver(url: string): Waiver {
  const server = withoutLogin(url);
  return makeWaiver('nats', server, `extensions use the NATS server ${server}`);
}

/** Bound to the certificates: the same ones in another file or order are the same waiver. */
function caWaiver(pem: string): Waiver {
  const all = parseCertificates(pem, 'caCertificates');
  const content = [...new Set(all.map((it) => it.fingerprint))].sort();
  const subjects = [...new Set(all.map((it) => it.subject))].slice(0, maxSubjects).join('; ');
  return makeWaiver('ca', content, `https trusts certificates of ${subjects}`);
}

function hasOwnBroker({ broker }: SessionPolicy): boolean {
  return broker?.url !== undefined && broker.url !== defaultBrokerUrl;
}

function brokerWaiver(url: string): Waiver {
  const server = withoutLogin(url);
  return makeWaiver('broker', server, `the token broker at ${server} gets the key of the broker`);
}

function notifyWaiver(target: NotifyTarget): Waiver {
  const { kind, url, urlSecret } = target;
  const where = url === undefined ? { urlSecret: urlSecret ?? '' } : { url };
  return makeWaiver(
    'notify',
    { kind, ...where },
    `notices to ${notifyTargetName(target)} contain arguments of calls`,
  );
}

function withoutArguments({ arguments: _, ...target }: NotifyTarget): NotifyTarget {
  return target;
}

/** Waivers are stored and shown; a login in a URL must be neither. */
function withoutLogin(url: string): string {
  return url.replace(/\/\/[^/?#]*@/, '//');
}
