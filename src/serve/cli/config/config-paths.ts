// Where configuration files are, or would be.
import { isAbsolute, join, resolve } from 'node:path';
import { homeFolder } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { type ConfigFile, findProjectFile, projectFileName } from './config-file.js';

/** Without a home folder there is no user configuration. */
export function homeOrRoot(environment: Terminal['environment']): string {
  try {
    return homeFolder(environment, '--config');
  } catch {
    return '/';
  }
}

/** Where the user's configuration is, or would be: tools must not create or change it. */
export function configurationPaths(args: Arguments, { environment, cwd }: Terminal): readonly string[] {
  const named = args.value('config');
  const folder = userConfigFolder(environment, homeOrRoot(environment));
  return [...(named === undefined ? [] : [resolve(cwd, named)]), folder];
}

/** The file that `config set` changes; it may not exist yet. */
export function configFileFor(
  kind: ConfigFile['kind'],
  args: Arguments,
  { environment, cwd }: Terminal,
): { readonly path: string; readonly home: string } {
  const home = homeOrRoot(environment);
  if (kind === 'project') return { path: findProjectFile(cwd, home) ?? join(cwd, projectFileName), home };
  const named = args.value('config');
  return {
    path:
      named === undefined ? join(userConfigFolder(environment, home), 'config.toml') : resolve(cwd, named),
    home,
  };
}

export function userConfigFolder(environment: Terminal['environment'], home: string): string {
  const configHome = environment.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(configHome) ? configHome : join(home, '.config'), 'toolwharf');
}
