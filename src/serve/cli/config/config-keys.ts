import type { NotifyTarget } from '../../../model/notify-target.js';
import { quarantineActions } from '../../../model/quarantine-action.js';
import type { RegistrySetting } from '../../../model/registry-setting.js';
import type { Rule } from '../../../model/rule.js';
import { defaultTaintMode, taintModes } from '../../../model/taint-setting.js';
import { violationActions } from '../../../model/violation.js';

/** What a setting holds. */
export type ConfigKind =
  | 'paths'
  | 'path'
  | 'grants'
  | 'denials'
  | 'rules'
  | 'notify'
  | 'registries'
  | 'tools'
  | 'exemptions'
  | 'server-requests'
  | 'oauth-clients'
  | 'names'
  | 'violation-actions'
  | 'taint-modes'
  | 'taint-inputs'
  | 'hidden-results'
  | 'hidden-inputs'
  | 'own-values'
  | 'folder-names'
  | 'version'
  | 'url'
  | 'nats-url'
  | 'text'
  | 'choice'
  | 'whole-number'
  | 'switch';

/** How a project file may tighten a setting. A project file cannot change settings without this. */
export type Tightening =
  | 'add'
  | 'intersect'
  | 'within'
  | 'smaller'
  | 'switch-on'
  | 'first-choice'
  | 'stricter-choice';

export type ConfigValue =
  | string
  | number
  | boolean
  | readonly string[]
  | readonly Rule[]
  | readonly NotifyTarget[]
  | readonly RegistrySetting[];

export interface ConfigKey {
  /** As in a TOML file, with dots. */
  readonly name: string;
  readonly kind: ConfigKind;
  readonly project?: Tightening;
  readonly variable?: string;
  /** Option of the command line, without the dashes. */
  readonly flag?: string;
  /** Used if nothing else sets it. A project file cannot exceed it either. */
  readonly default?: ConfigValue;
  /** For kind `choice`. With `first-choice`, a project file may only choose the first one; with `stricter-choice`, a later one. */
  readonly choices?: readonly string[];
  /** For numbers. */
  readonly max?: number;
}

const limit = (name: string, defaultValue: number, max: number): ConfigKey => ({
  name: `limits.${name}`,
  kind: 'whole-number',
  project: 'smaller',
  default: defaultValue,
  max,
});

/** Everything that can be configured. docs/config.md has a row for each. */
export const configKeys = [
  { name: 'paths', kind: 'paths' },
  { name: 'allow', kind: 'grants', flag: 'allow' },
  { name: 'deny', kind: 'denials', project: 'add' },
  { name: 'roots', kind: 'paths', project: 'within' },
  { name: 'trusted', kind: 'tools' },
  {
    name: 'taint.mode',
    kind: 'choice',
    choices: taintModes,
    project: 'stricter-choice',
    default: defaultTaintMode,
  },
  { name: 'taint.packages', kind: 'taint-modes' },
  { name: 'taint.clients', kind: 'taint-modes' },
  { name: 'taint.inputs', kind: 'taint-inputs' },
  { name: 'taint.own', kind: 'own-values' },
  { name: 'taint.labels', kind: 'path' },
  { name: 'taint.user_text', kind: 'names' },
  { name: 'taint.hide', kind: 'hidden-results' },
  { name: 'taint.hidden_inputs', kind: 'hidden-inputs' },
  { name: 'taint.outside_input', kind: 'switch', project: 'switch-on', default: false },
  { name: 'taint.outside_clients', kind: 'names', project: 'add' },
  { name: 'scan.no_guesses', kind: 'tools' },
  { name: 'scan.exempt', kind: 'exemptions' },
  { name: 'rules', kind: 'rules', project: 'add' },
  { name: 'packages.only', kind: 'names', project: 'intersect' },
  { name: 'packages.disabled', kind: 'names', project: 'add' },
  { name: 'packages.on_violation', kind: 'violation-actions', project: 'add' },
  {
    name: 'on_violation',
    kind: 'choice',
    choices: violationActions,
    project: 'stricter-choice',
    default: 'report',
  },
  { name: 'discovery.ignore', kind: 'folder-names', project: 'add' },
  { name: 'discovery.only', kind: 'paths', project: 'within' },
  { name: 'discovery.depth', kind: 'whole-number', project: 'smaller', default: 8, max: 32 },
  { name: 'agent.version', kind: 'version', variable: 'TOOLWHARF_AGENT_VERSION', flag: 'agent-version' },
  { name: 'agent.reserved', kind: 'names' },
  { name: 'agent.install_requests', kind: 'switch' },
  { name: 'agent.server_requests', kind: 'server-requests' },
  { name: 'approvals.webhook', kind: 'url' },
  { name: 'approvals.page', kind: 'switch', default: false },
  { name: 'notify', kind: 'notify' },
  { name: 'registries', kind: 'registries' },
  { name: 'registry.on_quarantine', kind: 'choice', choices: quarantineActions, default: 'hold' },
  { name: 'broker.url', kind: 'url' },
  { name: 'broker.user', kind: 'text' },
  { name: 'contribute.model.url', kind: 'url' },
  { name: 'contribute.model.shape', kind: 'choice', choices: ['openai', 'anthropic'], default: 'openai' },
  { name: 'contribute.model.name', kind: 'text' },
  { name: 'contribute.model.key_variable', kind: 'text' },
  { name: 'oauth.clients', kind: 'oauth-clients' },
  { name: 'oauth.client_metadata_url', kind: 'url' },
  { name: 'oauth.redirect_port', kind: 'whole-number', max: 65_535 },
  { name: 'vault.key', kind: 'choice', choices: ['file', 'passphrase', 'keychain'] },
  { name: 'python.index', kind: 'url', variable: 'TOOLWHARF_PYTHON_INDEX', flag: 'index' },
  { name: 'python.find_links', kind: 'paths', variable: 'TOOLWHARF_FIND_LINKS', flag: 'find-links' },
  { name: 'npm.registry', kind: 'url', variable: 'TOOLWHARF_NPM_REGISTRY', flag: 'npm-registry' },
  { name: 'container.engine', kind: 'text', variable: 'TOOLWHARF_CONTAINER_ENGINE' },
  { name: 'container.runtime', kind: 'text', variable: 'TOOLWHARF_CONTAINER_RUNTIME' },
  { name: 'nats.url', kind: 'nats-url', variable: 'TOOLWHARF_NATS_URL', flag: 'nats-url' },
  { name: 'net.ca_file', kind: 'path', flag: 'ca-file' },
  { name: 'audit.checkpoints', kind: 'path' },
  { name: 'audit.key', kind: 'path' },
  { name: 'audit.anchor_dir', kind: 'path' },
  { name: 'audit.anchor_keychain', kind: 'switch', default: true },
  { name: 'audit.anchor_webhook', kind: 'url' },
  {
    name: 'audit.arguments',
    kind: 'choice',
    choices: ['digest', 'encrypted'],
    project: 'first-choice',
    default: 'digest',
  },
  {
    name: 'audit.durability',
    kind: 'choice',
    choices: ['call', 'group'],
    project: 'first-choice',
    default: 'call',
  },
  { name: 'http.oidc.issuer', kind: 'url', flag: 'oidc-issuer' },
  { name: 'http.oidc.audience', kind: 'text', flag: 'oidc-audience' },
  { name: 'http.oidc.role_claim', kind: 'text', flag: 'oidc-role-claim' },
  limit('seconds', 60, 86_400),
  limit('cpu_seconds', 60, 86_400),
  limit('memory_mb', 1024, 1024 * 1024),
  limit('processes', 64, 100_000),
  limit('open_files', 256, 1_000_000),
  limit('disk_mb', 64, 1024 * 1024),
  limit('output_mb', 10, 1024),
  {
    name: 'runtime.strict',
    kind: 'switch',
    project: 'switch-on',
    variable: 'TOOLWHARF_STRICT_RUNTIME',
    flag: 'strict-runtime',
    default: false,
  },
] as const satisfies readonly ConfigKey[];

export type ConfigKeyName = (typeof configKeys)[number]['name'];

/** Names of the tables, such as `limits` and `http.oidc`. */
export const configTables: ReadonlySet<string> = new Set(
  configKeys.flatMap((it) => [...it.name.matchAll(/\./g)].map((dot) => it.name.slice(0, dot.index))),
);
