import { resolve } from 'node:path';
import type { SessionOptions } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { sessionOptions, sessionSettings, setOption } from './config.js';
import { configurationPaths } from './config-paths.js';

/** Who opens the session is added when the host is known. The sessions of a command are one client. */
export type CommandSessionOptions = Required<
  Omit<SessionOptions, 'client' | 'operator' | 'set' | 'sessionName'>
> &
  Pick<SessionOptions, 'operator' | 'set' | 'sessionName'>;

/**
 * Session options of a command: the paths it names, else the configured ones, with the configured policy. They accept
 * nothing; see agreeing-session.ts.
 */
export async function sessionFor(
  args: Arguments,
  terminal: Terminal,
  paths: readonly string[],
  root = '.',
): Promise<CommandSessionOptions> {
  const { defaultPaths, allow, environment, policy } = await sessionSettings(args, terminal);
  const absolute = (path: string) => resolve(terminal.cwd, path);
  if (!terminal.isFolder(absolute(root)))
    throw new HostError('not_found', `no such folder: ${absolute(root)}`, {
      hint: 'check the path after --root',
    });
  return {
    principal: terminal.principal,
    directories: (paths.length === 0 ? defaultPaths() : paths).map(absolute),
    intent: 'use',
    accept: null,
    root: absolute(root),
    allow,
    environment,
    policy: { ...policy, protect: configurationPaths(args, terminal) },
    set: args.value('set'),
    // A person at a terminal starts anew with each command. A program that runs commands is one session per workspace.
    ...(terminal.stdinIsTerminal ? { sessionName: null } : {}),
  };
}

/** The session options that were given, as command-line arguments for another command. */
export function sessionArgs(args: Arguments): string[] {
  return [...sessionOptions, setOption].flatMap(({ name, value, multiple }) => {
    if (value === undefined) return args.has(name) ? [`--${name}`] : [];
    const values = multiple === true ? args.values(name) : [args.value(name)];
    return values.flatMap((it) => (it === undefined ? [] : [`--${name}`, it]));
  });
}
