import { isAbsolute, join, resolve } from 'node:path';
import type {
  BrokerPolicy,
  ContainerPolicy,
  LimitPolicy,
  PackageIndexes,
  SessionPolicy,
  VaultKeyStorage,
} from '../../host/host.js';
import { compareDiagnostics, type Diagnostic } from '../../model/diagnostic.js';
import { HostError } from '../../model/host-error.js';
import type { Rule } from '../../model/rule.js';
import { printDiagnostics } from '../print/diagnostics.js';
import { type Arguments, homeFolder } from './arguments.js';
import { allowOption, type Option } from './command.js';
import { type ConfigFile, findProjectFile, isThere, readConfigFile } from './config-file.js';
import type { ConfigKeyName, ConfigValue } from './config-keys.js';
import { type ConfigEntry, settle } from './config-layers.js';
import { defaultNamed, defaultPaths } from './default-paths.js';
import { styleFor } from './style-for.js';
import type { Terminal } from './terminal.js';

/** What a command opens its session with. */
export interface SessionSettings {
  readonly allow: readonly string[];
  /** Values of the variables that `allow` names. */
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** Absolute; where packages are when a command names no path: this folder unless configured. */
  defaultPaths(): readonly string[];
  /** What the person names by using such a command: the whole of it, whatever a project lets count. */
  defaultNamed(): readonly string[];
}

/** For commands that open a session. */
export const sessionOptions: readonly Option[] = [
  allowOption,
  { name: 'config', value: 'FILE', text: 'user configuration to read instead of the usual one' },
  { name: 'agent-version', value: 'VER', text: 'version that extensions are checked against' },
  { name: 'strict-runtime', text: 'refuse a tool whose language version is not here' },
  { name: 'unsafe-no-sandbox', text: 'run tools without any confinement; every call records it' },
  { name: 'index', value: 'URL', text: 'where Python packages come from' },
  { name: 'find-links', value: 'DIR', multiple: true, text: 'folder with Python wheels' },
  { name: 'npm-registry', value: 'URL', text: 'where npm packages come from' },
  { name: 'nats-url', value: 'URL', text: 'NATS server through which extensions are asked' },
];

/** What holds, and the files that were read for it. */
export interface Config {
  readonly entries: readonly ConfigEntry[];
  readonly user: string | undefined;
  readonly project: string | undefined;
}

/** Flags, environment, project and user configuration, in this order of weight. Nothing opens with an invalid one. */
export async function sessionSettings(args: Arguments, terminal: Terminal): Promise<SessionSettings> {
  const { entries } = await loadConfig(args, terminal);
  const list = (key: ConfigKeyName) => (settingOf(entries, key) as readonly string[] | undefined) ?? [];
  const granted = grantedVariables(list('allow'), args, terminal.environment);
  return {
    ...granted,
    policy: {
      ...policyOf(entries, args.has('unsafe-no-sandbox')),
      ...natsPolicy(entries, terminal.environment),
    },
    defaultPaths: () => defaultPaths(entries, terminal.cwd),
    defaultNamed: () => defaultNamed(entries, terminal.cwd),
  };
}

/** Refuses an invalid configuration after showing all that is wrong with it. */
export async function loadConfig(args: Arguments, terminal: Terminal): Promise<Config> {
  const { config, diagnostics } = await examineConfig(args, terminal);
  if (config !== undefined) return config;
  const style = styleFor(args, terminal);
  const source = (file: string) => terminal.readFile(file);
  terminal.err(`${printDiagnostics(diagnostics, { style, columns: terminal.columns, source })}\n`);
  throw invalidConfig(diagnostics, args.has('json'));
}

/** The configuration, or everything that is wrong with it. */
export async function examineConfig(
  args: Arguments,
  terminal: Terminal,
): Promise<{ config?: Config; diagnostics: readonly Diagnostic[] }> {
  const { environment, cwd } = terminal;
  const home = homeOrRoot(environment);
  const user = await userFile(args, environment, cwd, home);
  const projectPath = findProjectFile(cwd, home);
  // One file cannot be both: what the user named holds.
  const project =
    projectPath === undefined || projectPath === user?.path
      ? undefined
      : await readConfigFile(projectPath, 'project', home);
  const diagnostics = [...(user?.diagnostics ?? []), ...(project?.diagnostics ?? [])].sort(
    compareDiagnostics,
  );
  if (diagnostics.some((it) => it.severity === 'error')) return { diagnostics };
  const entries = settle({ args, environment, around: { folder: cwd, home }, user, project });
  return { config: { entries, user: user?.path, project: project?.path }, diagnostics };
}

/** Where there is no home there is no configuration of a user either. */
function homeOrRoot(environment: Terminal['environment']): string {
  try {
    return homeFolder(environment, '--config');
  } catch {
    return '/';
  }
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
    if (!isThere(path))
      throw new HostError('not_found', `there is no configuration at ${path}`, {
        hint: 'check the path after --config',
      });
    return readConfigFile(path, 'user', home);
  }
  const wished = environment.XDG_CONFIG_HOME ?? '';
  const path = join(isAbsolute(wished) ? wished : join(home, '.config'), 'toolwharf', 'config.toml');
  return isThere(path) ? readConfigFile(path, 'user', home) : undefined;
}

function invalidConfig(diagnostics: readonly Diagnostic[], json: boolean): HostError {
  const files = [...new Set(diagnostics.map((it) => it.file))];
  const count = diagnostics.length === 1 ? 'a mistake' : `${diagnostics.length} mistakes`;
  // A script sees only this document; a person has the findings above.
  const details = diagnostics.map((it) => `${it.file}:${it.range.line}:${it.range.column} ${it.message}`);
  const message = `the configuration has ${count}, and nothing runs with it`;
  return new HostError('invalid_config', json ? `${message}: ${details.join('; ')}` : message, {
    hint: `mend ${files.join(' and ')}; docs/config.md has all settings`,
  });
}

/**
 * Values of granted variables are read here, because a host reads no environment by itself. What a file grants in
 * general may be absent today; what the command line grants must be there.
 */
function grantedVariables(
  allow: readonly string[],
  args: Arguments,
  environment: Terminal['environment'],
): Pick<SessionSettings, 'allow' | 'environment'> {
  const values: Record<string, string> = {};
  const asked = args.values('allow');
  const kept = allow.filter((grant) => {
    const name = /^(?:[^:=]+=)?env:(.*)$/.exec(grant)?.[1];
    if (name === undefined) return true;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) values[name] = value;
    else if (asked.includes(grant))
      throw new HostError('usage', `--allow ${grant}: the variable ${name} is not set`, {
        hint: `set it first: export ${name}=…, or leave the grant out`,
      });
    return value !== undefined;
  });
  return { allow: kept, environment: values };
}

export function settingOf(entries: readonly ConfigEntry[], key: ConfigKeyName): ConfigValue | undefined {
  return entries.find((it) => it.key === key)?.value;
}

const mebibyte = 1024 * 1024;

/** Only what somebody said: for the rest the host knows what is usual. */
function policyOf(entries: readonly ConfigEntry[], unsafeNoSandbox: boolean): SessionPolicy {
  const said = entries.filter(
    (it) => it.value !== undefined && it.origins.some((from) => from.kind !== 'default'),
  );
  const list = (key: ConfigKeyName) => settingOf(said, key) as readonly string[] | undefined;
  const text = (key: ConfigKeyName) => settingOf(said, key) as string | undefined;
  const number = (key: ConfigKeyName, unit = 1) => {
    const value = settingOf(said, key) as number | undefined;
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
  const broker: BrokerPolicy = present({ url: text('broker.url'), user: text('broker.user') });
  return present({
    only: list('packages.only'),
    disabled: list('packages.disabled'),
    deny: list('deny'),
    roots: list('roots'),
    trusted: list('trusted'),
    noGuesses: list('scan.no_guesses'),
    rules: settingOf(said, 'rules') as readonly Rule[] | undefined,
    ignore: list('discovery.ignore'),
    depth: number('discovery.depth'),
    agentVersion: text('agent.version'),
    reservedIds: list('agent.reserved'),
    strictRuntime: settingOf(said, 'runtime.strict') as boolean | undefined,
    unsafeNoSandbox: unsafeNoSandbox ? true : undefined,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
    sealArguments:
      text('audit.arguments') === 'encrypted'
        ? present({ keeper: text('vault.key') as VaultKeyStorage | undefined })
        : undefined,
    webhook: text('approvals.webhook'),
    containers: containerPolicy(said),
    broker: Object.keys(broker).length === 0 ? undefined : broker,
    indexes: Object.keys(indexes).length === 0 ? undefined : indexes,
  });
}

/** Undefined where nothing is said: the engine is found where it usually is. */
export function containerPolicy(entries: readonly ConfigEntry[]): ContainerPolicy | undefined {
  const engine = settingOf(entries, 'container.engine') as string | undefined;
  const runtime = settingOf(entries, 'container.runtime') as string | undefined;
  return engine === undefined && runtime === undefined ? undefined : present({ engine, runtime });
}

/** Name and password come from a variable of their own: settings are shown, and this is not one. */
export function natsPolicy(
  entries: readonly ConfigEntry[],
  environment: Terminal['environment'],
): Pick<SessionPolicy, 'natsUrl'> {
  const address = settingOf(entries, 'nats.url');
  if (typeof address !== 'string') return {};
  const login = environment.TOOLWHARF_NATS_LOGIN ?? '';
  if (login === '') return { natsUrl: address };
  const [name = '', ...rest] = login.split(':');
  const words = [name, ...(rest.length === 0 ? [] : [rest.join(':')])].map(encodeURIComponent);
  return { natsUrl: address.replace('://', `://${words.join(':')}@`) };
}

/** Without the members that are undefined. */
function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
