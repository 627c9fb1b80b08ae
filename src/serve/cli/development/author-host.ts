import { join, resolve } from 'node:path';
import { realPathOf } from '../../../files/real-path.js';
import { sha256 } from '../../../files/sha256.js';
import type { Host, Session } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import type { Rule } from '../../../model/rule.js';
import { effects } from '../../../model/tool.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Option } from '../command/command.js';
import { auditLocations } from '../config/audit-locations.js';
import { sessionOptions } from '../config/config.js';
import { type CommandSessionOptions, sessionFor } from '../config/session-options.js';
import type { InProcessHostOptions, Terminal } from '../terminal/terminal.js';

/** Options of the commands for authors. The sandbox stays on. */
export const authorOptions: readonly Option[] = [
  {
    name: 'undeclared-effect',
    value: 'EFFECT',
    text: 'what tools do whose manifest does not say it: none, read, write or destructive (default: ask)',
  },
  ...sessionOptions.filter((it) => it.name !== 'unsafe-no-sandbox'),
];

/** The host of an author's command. Nobody else can reach it. */
export interface AuthorHost {
  readonly host: Host;
  readonly session: Session;
}

export interface AuthorHostOptions
  extends Pick<InProcessHostOptions, 'onReload' | 'onLog' | 'singleCommand'> {
  /** Its own state directory. */
  readonly state: string;
  /** The workspace. */
  readonly root: string;
}

/**
 * The paths that the author named. Without one, the current folder, but only at a terminal: a script or a client can start
 * such a command in any folder.
 */
export function authorPaths(command: string, args: Arguments, terminal: Terminal): readonly string[] {
  if (args.positionals.length > 0) return args.positionals.map((it) => resolve(terminal.cwd, it));
  if (terminal.stdinIsTerminal) return [terminal.cwd];
  throw new HostError('usage', 'name the package; without a terminal, the current folder is not used', {
    hint: `write the path: toolwharf ${command} .`,
  });
}

/** Where the state of `dev` for these paths is: in the operator's state directory, but a directory of its own. */
export function authorState(paths: readonly string[], args: Arguments, terminal: Terminal): string {
  const key = sha256(JSON.stringify(paths.map((it) => realPathOf(it) ?? it)));
  return join(operatorState(args, terminal), 'dev', key.slice(0, 16));
}

/** Starts the host and opens its only session, which uses the packages at `paths` as they are. */
export async function openAuthorHost(
  paths: readonly string[],
  args: Arguments,
  terminal: Terminal,
  { root, ...host }: AuthorHostOptions,
): Promise<AuthorHost> {
  const session = await authorSession(paths, args, terminal, root);
  const { checkpoints, key, anchorFolder } = await auditLocations(args, terminal);
  const operator = operatorState(args, terminal);
  const started = await terminal.startHost({
    ...host,
    development: {
      environments: join(operator, 'dev', 'environments'),
      operatorState: operator,
      hidden: [checkpoints, key, anchorFolder].filter((it) => it !== undefined),
    },
  });
  try {
    return { host: started, session: await started.session(session) };
  } catch (error) {
    await started.close();
    throw error;
  }
}

/**
 * The session has the restrictions of the configuration. It has only the grants and the NATS server of the command line;
 * its held calls and arguments go nowhere.
 */
async function authorSession(
  paths: readonly string[],
  args: Arguments,
  terminal: Terminal,
  root: string,
): Promise<CommandSessionOptions> {
  const { policy, environment, ...options } = await sessionFor(args, terminal, paths, root);
  const { only: _only, webhook: _webhook, notify: _notify, ...others } = policy;
  const { sealArguments: _seal, broker: _broker, natsUrl, ...rest } = others;
  const allow = args.values('allow');
  return {
    ...options,
    allow,
    environment: Object.fromEntries(
      Object.entries(environment).filter(([name]) => allow.some((it) => it.endsWith(`env:${name}`))),
    ),
    policy: {
      ...rest,
      rules: [...(rest.rules ?? []), ...effectRules(args)],
      ...(args.has('nats-url') && natsUrl !== undefined ? { natsUrl } : {}),
    },
    accept: { in: paths, by: { name: terminal.principal, channel: 'terminal' } },
  };
}

/** The author knows what their tools do; the host asks before each call of a tool that does not say it. */
function effectRules(args: Arguments): readonly Rule[] {
  const effect = args.value('undeclared-effect');
  if (effect === undefined) return [];
  const undeclaredEffect = effects.find((it) => it === effect);
  if (undeclaredEffect === undefined)
    throw new HostError('usage', `unknown value for --undeclared-effect: ${JSON.stringify(effect)}`, {
      hint: `use ${effects.join(', ')}`,
    });
  return [{ tool: '*', undeclaredEffect, origin: { kind: 'session' } }];
}

function operatorState(args: Arguments, terminal: Terminal): string {
  return stateDirectory(args, terminal.environment, terminal.cwd);
}
