import { join, resolve } from 'node:path';
import type {
  BrokerPolicy,
  ContainerPolicy,
  LimitPolicy,
  OAuthPolicy,
  PackageIndexes,
  SessionPolicy,
  VaultKeyStorage,
} from '../../../host/host.js';
import { compareDiagnostics, type Diagnostic } from '../../../model/diagnostic.js';
import { HostError } from '../../../model/host-error.js';
import type { NotifyTarget } from '../../../model/notify-target.js';
import type { RegistrySetting } from '../../../model/registry-setting.js';
import type { Rule } from '../../../model/rule.js';
import type { ViolationAction } from '../../../model/violation.js';
import { printDiagnostics } from '../../print/diagnostics.js';
import { type Arguments, allowOption, type Option } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { certificatePolicy } from './certificate-policy.js';
import { type ConfigFile, exists, findProjectFile, readConfigFile } from './config-file.js';
import type { ConfigKeyName, ConfigValue } from './config-keys.js';
import { type ConfigEntry, resolveConfig } from './config-layers.js';
import { homeOrRoot, userConfigFolder } from './config-paths.js';
import { defaultAcceptNewIn, defaultPaths } from './default-paths.js';
import { taintPolicy } from './taint-policy.js';

/** Everything from the configuration that a command needs to open a session. */
export interface SessionSettings {
  readonly allow: readonly string[];
  /** Values of the variables that `allow` names. */
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** Absolute folders to search when a command names no path. Default: the current folder. */
  defaultPaths(): readonly string[];
  /** Absolute folders whose new packages are accepted when a command names no path. A project file cannot change them. */
  defaultAcceptNewIn(): readonly string[];
}

/** Where commands look for packages. */
export const dirOption: Option = {
  name: 'dir',
  value: 'DIR',
  multiple: true,
  text: 'folder to search for packages (default: this folder)',
};

export const rootOption: Option = {
  name: 'root',
  value: 'DIR',
  text: 'workspace folder that tools may use (default: this folder)',
};

/** For commands that show or call tools as a caller of a set sees them. */
export const setOption: Option = {
  name: 'set',
  value: 'NAME',
  text: 'show only the tools of this set (default: the set that is loaded)',
};

/** Options of commands that open a session. */
export const sessionOptions: readonly Option[] = [
  allowOption,
  {
    name: 'config',
    value: 'FILE',
    text: 'user configuration file to use instead of the default one',
  },
  { name: 'agent-version', value: 'VER', text: 'host version that extensions are checked against' },
  { name: 'strict-runtime', text: 'fail if the exact language version of a tool is missing' },
  { name: 'unsafe-no-sandbox', text: 'run tools without a sandbox; the audit log shows it for each call' },
  { name: 'index', value: 'URL', text: 'Python package index' },
  { name: 'find-links', value: 'DIR', multiple: true, text: 'folder with Python wheels' },
  { name: 'npm-registry', value: 'URL', text: 'npm registry' },
  { name: 'nats-url', value: 'URL', text: 'NATS server for extensions' },
  { name: 'ca-file', value: 'FILE', text: 'certificates to trust for https, besides the usual ones' },
];

/** The settings in effect, and the files they were read from. */
export interface Config {
  readonly entries: readonly ConfigEntry[];
  readonly user: string | undefined;
  readonly project: string | undefined;
}

/** Flags, environment, project and user configuration; earlier ones win. An invalid configuration is an error. */
export async function sessionSettings(args: Arguments, terminal: Terminal): Promise<SessionSettings> {
  return settingsFrom(await loadConfig(args, terminal), args, terminal);
}

/** What a configuration says about sessions. */
export function settingsFrom({ entries }: Config, args: Arguments, terminal: Terminal): SessionSettings {
  const list = (key: ConfigKeyName) => (settingOf(entries, key) as readonly string[] | undefined) ?? [];
  const granted = grantedVariables(list('allow'), args, terminal.environment);
  return {
    ...granted,
    policy: {
      ...policyOf(entries, args, terminal),
      ...natsPolicy(entries, terminal.environment),
      ...certificatePolicy(settingOf(entries, 'net.ca_file'), terminal),
    },
    defaultPaths: () => defaultPaths(entries, terminal.cwd),
    defaultAcceptNewIn: () => defaultAcceptNewIn(entries, terminal.cwd),
  };
}

/** Prints all problems of an invalid configuration, then throws. */
export async function loadConfig(args: Arguments, terminal: Terminal): Promise<Config> {
  const { config, diagnostics } = await examineConfig(args, terminal);
  if (config !== undefined) return config;
  const style = terminalStyle(args, terminal);
  const source = (file: string) => terminal.readFile(file);
  terminal.err(`${printDiagnostics(diagnostics, { style, columns: terminal.columns, source })}\n`);
  throw invalidConfig(diagnostics, args.has('json'));
}

/** The configuration; without `config`, the diagnostics say why it is invalid. */
export async function examineConfig(
  args: Arguments,
  terminal: Terminal,
): Promise<{ config?: Config; diagnostics: readonly Diagnostic[] }> {
  const { environment, cwd } = terminal;
  const home = homeOrRoot(environment);
  const user = await userFile(args, environment, cwd, home);
  const projectPath = findProjectFile(cwd, home);
  // A project file that the user named with --config counts as the user's file.
  const project =
    projectPath === undefined || projectPath === user?.path
      ? undefined
      : await readConfigFile(projectPath, 'project', home);
  const diagnostics = [...(user?.diagnostics ?? []), ...(project?.diagnostics ?? [])].sort(
    compareDiagnostics,
  );
  if (diagnostics.some((it) => it.severity === 'error')) return { diagnostics };
  const entries = resolveConfig({ args, environment, pathContext: { folder: cwd, home }, user, project });
  return { config: { entries, user: user?.path, project: project?.path }, diagnostics };
}

async function userFile(
  args: Arguments,
  environment: Terminal['environment'],
  cwd: string,
  home: string,
): Promise<ConfigFile | undefined> {
  const named = args.value('config');
  if (named !== undefined) {
    const path = resolve(cwd, named);
    if (!exists(path))
      throw new HostError('not_found', `no configuration file at ${path}`, {
        hint: 'check the path after --config',
      });
    return readConfigFile(path, 'user', home);
  }
  const path = join(userConfigFolder(environment, home), 'config.toml');
  return exists(path) ? readConfigFile(path, 'user', home) : undefined;
}

function invalidConfig(diagnostics: readonly Diagnostic[], json: boolean): HostError {
  const files = [...new Set(diagnostics.map((it) => it.file))];
  const count = diagnostics.length === 1 ? 'an error' : `${diagnostics.length} errors`;
  // With --json the document is all that a script sees; otherwise the diagnostics are printed above.
  const details = diagnostics.map((it) => `${it.file}:${it.range.line}:${it.range.column} ${it.message}`);
  const message = `the configuration has ${count}; nothing runs until this is fixed`;
  return new HostError('invalid_config', json ? `${message}: ${details.join('; ')}` : message, {
    hint: `fix ${files.join(' and ')}; all settings are in docs/config.md`,
  });
}

/**
 * Values of granted variables are read here, because the host itself reads no environment. A variable that only a file
 * grants may be unset; one granted on the command line must be set.
 */
function grantedVariables(
  allow: readonly string[],
  args: Arguments,
  environment: Terminal['environment'],
): Pick<SessionSettings, 'allow' | 'environment'> {
  const values: Record<string, string> = {};
  const fromCommandLine = args.values('allow');
  const kept = allow.filter((grant) => {
    const name = /^(?:[^:=]+=)?env:(.*)$/.exec(grant)?.[1];
    if (name === undefined) return true;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) values[name] = value;
    else if (fromCommandLine.includes(grant))
      throw new HostError('usage', `--allow ${grant}: the variable ${name} is not set`, {
        hint: `set it first: export ${name}=…, or remove the grant`,
      });
    return value !== undefined;
  });
  return { allow: kept, environment: values };
}

export function settingOf(entries: readonly ConfigEntry[], key: ConfigKeyName): ConfigValue | undefined {
  return entries.find((it) => it.key === key)?.value;
}

const mebibyte = 1024 * 1024;

/** Only settings that were set somewhere; the host has its own defaults for the rest. */
function policyOf(entries: readonly ConfigEntry[], args: Arguments, terminal: Terminal): SessionPolicy {
  const set = entries.filter(
    (it) => it.value !== undefined && it.origins.some((from) => from.kind !== 'default'),
  );
  const list = (key: ConfigKeyName) => settingOf(set, key) as readonly string[] | undefined;
  const text = (key: ConfigKeyName) => settingOf(set, key) as string | undefined;
  const number = (key: ConfigKeyName, unit = 1) => {
    const value = settingOf(set, key) as number | undefined;
    return value === undefined ? undefined : value * unit;
  };
  const limits: LimitPolicy = present({
    wallSeconds: number('limits.seconds'),
    cpuSeconds: number('limits.cpu_seconds'),
    memoryBytes: number('limits.memory_mb', mebibyte),
    processes: number('limits.processes'),
    openFiles: number('limits.open_files'),
    diskBytes: number('limits.disk_mb', mebibyte),
    outputBytes: number('limits.output_mb', mebibyte),
  });
  const indexes: PackageIndexes = present({
    pythonIndex: text('python.index'),
    findLinks: list('python.find_links'),
    npmRegistry: text('npm.registry'),
  });
  const onViolation = present({
    default: text('on_violation') as ViolationAction | undefined,
    packages: list('packages.on_violation'),
  });
  const clients = list('oauth.clients')?.map((it) => it.split(' ') as [string, string]);
  const oauth: OAuthPolicy = present({
    clients: clients === undefined ? undefined : Object.fromEntries(clients),
    clientMetadataUrl: text('oauth.client_metadata_url'),
  });
  const broker: BrokerPolicy = present({ url: text('broker.url'), user: text('broker.user') });
  return present({
    only: list('packages.only'),
    disabled: list('packages.disabled'),
    deny: list('deny'),
    roots: list('roots'),
    trusted: list('trusted'),
    noGuesses: list('scan.no_guesses'),
    scanExempt: list('scan.exempt'),
    rules: settingOf(set, 'rules') as readonly Rule[] | undefined,
    ignore: list('discovery.ignore'),
    depth: number('discovery.depth'),
    agentVersion: text('agent.version'),
    reservedIds: list('agent.reserved'),
    installRequests: settingOf(set, 'agent.install_requests') as boolean | undefined,
    serverRequests: list('agent.server_requests'),
    strictRuntime: settingOf(set, 'runtime.strict') as boolean | undefined,
    unsafeNoSandbox: args.has('unsafe-no-sandbox') ? true : undefined,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
    sealArguments:
      text('audit.arguments') === 'encrypted'
        ? present({ keyStorage: text('vault.key') as VaultKeyStorage | undefined })
        : undefined,
    auditDurability: text('audit.durability') === 'group' ? 'group' : undefined,
    vaultKey: text('vault.key') as VaultKeyStorage | undefined,
    taint: taintPolicy((key) => settingOf(set, key), terminal),
    onViolation: Object.keys(onViolation).length === 0 ? undefined : onViolation,
    webhook: text('approvals.webhook'),
    notify: settingOf(set, 'notify') as readonly NotifyTarget[] | undefined,
    registries: settingOf(set, 'registries') as readonly RegistrySetting[] | undefined,
    onQuarantine: text('registry.on_quarantine') as SessionPolicy['onQuarantine'],
    containers: containerPolicy(set),
    oauth: Object.keys(oauth).length === 0 ? undefined : oauth,
    broker: Object.keys(broker).length === 0 ? undefined : broker,
    indexes: Object.keys(indexes).length === 0 ? undefined : indexes,
  });
}

/** Undefined if nothing is configured: the host then looks for an engine itself. */
export function containerPolicy(entries: readonly ConfigEntry[]): ContainerPolicy | undefined {
  const engine = settingOf(entries, 'container.engine') as string | undefined;
  const runtime = settingOf(entries, 'container.runtime') as string | undefined;
  return engine === undefined && runtime === undefined ? undefined : present({ engine, runtime });
}

/** Name and password come from TOOLWHARF_NATS_LOGIN, because settings are shown and logged. */
export function natsPolicy(
  entries: readonly ConfigEntry[],
  environment: Terminal['environment'],
): Pick<SessionPolicy, 'natsUrl'> {
  const address = settingOf(entries, 'nats.url');
  if (typeof address !== 'string') return {};
  const login = environment.TOOLWHARF_NATS_LOGIN ?? '';
  if (login === '') return { natsUrl: address };
  const [name = '', ...rest] = login.split(':');
  const credentials = [name, ...(rest.length === 0 ? [] : [rest.join(':')])].map(encodeURIComponent);
  return { natsUrl: address.replace('://', `://${credentials.join(':')}@`) };
}

/** The object without members that are undefined. */
function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
