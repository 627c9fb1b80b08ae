import { resolve } from 'node:path';
import type { SessionOptions } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { Arguments } from './arguments.js';
import { sessionOptions, sessionSettings } from './config.js';
import type { Terminal } from './terminal.js';

/** What a command asks the host for: the paths it names, else the configured ones, under the configured rules. */
export async function sessionFor(
  args: Arguments,
  terminal: Terminal,
  paths: readonly string[],
  root = '.',
): Promise<Required<SessionOptions>> {
  const { defaultPaths, defaultNamed, allow, environment, policy } = await sessionSettings(args, terminal);
  const absolute = (path: string) => resolve(terminal.cwd, path);
  if (!terminal.isFolder(absolute(root)))
    throw new HostError('not_found', `there is no folder ${absolute(root)}`, {
      hint: 'check the path after --root',
    });
  return {
    principal: terminal.principal,
    directories: (paths.length === 0 ? defaultPaths() : paths).map(absolute),
    named: (paths.length === 0 ? defaultNamed() : paths).map(absolute),
    root: absolute(root),
    allow,
    environment,
    policy,
    looking: false,
  };
}

/** The same rules, as words of a command line. */
export function sessionArgs(args: Arguments): string[] {
  return sessionOptions.flatMap(({ name, value, multiple }) => {
    if (value === undefined) return args.has(name) ? [`--${name}`] : [];
    const given = multiple === true ? args.values(name) : [args.value(name)];
    return given.flatMap((it) => (it === undefined ? [] : [`--${name}`, it]));
  });
}
