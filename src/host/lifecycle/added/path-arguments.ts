import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { interpreterOf } from '../../../formats/interpreter.js';
import { HostError } from '../../../model/host-error.js';
import type { Launch } from '../../../model/launch/launch.js';

export interface PathArguments {
  /** The arguments, with paths of this machine as absolute ones. */
  readonly args: readonly string[];
  /** Folders that these paths are in. */
  readonly folders: readonly string[];
  /** The folder of a script that is started from this machine. Its files are not locked. */
  readonly codeFolder?: string;
}

/** Which arguments are files and folders of this machine. `home`: the home folder of the user. */
export function pathArguments({ program, args }: Launch, root: string, home: string): PathArguments {
  const folders: string[] = [];
  let codeFolder: string | undefined;
  const found = args.map((arg, index) => {
    const [, option = '', text = arg] = /^(--?[A-Za-z][\w-]*=)(.*)$/s.exec(arg) ?? [];
    const path = existingPath(text, root);
    if (path === undefined) return arg;
    const isFolder = statSync(path).isDirectory();
    const isScript =
      program.kind === 'program' && index === 0 && !isFolder && interpreterOf(program.command) !== undefined;
    if (isScript) codeFolder = projectFolder(path, home);
    else folders.push(isFolder ? path : dirname(path));
    return `${option}${path}`;
  });
  return {
    args: found,
    folders: [...new Set(folders)].filter((it) => it !== codeFolder),
    ...(codeFolder === undefined ? {} : { codeFolder }),
  };
}

/** Only what is written as a path: a word that happens to be a file name is left alone. */
function existingPath(text: string, root: string): string | undefined {
  if (!/^(?:\/|\.{1,2}(?:\/|$))/.test(text) || text.includes('\0')) return undefined;
  const path = resolve(root, text);
  return path !== '/' && existsSync(path) ? path : undefined;
}

/**
 * The nearest folder above a script that has a list of its dependencies; else the folder of the script. The server can read
 * all of it, so it is never the home folder or a folder above that, and never outside the script's repository.
 */
function projectFolder(script: string, home: string): string {
  const own = dirname(script);
  if (containsHome(own, home))
    throw new HostError('usage', `the server could read all of ${own}, because its script is there`, {
      hint: 'move the script to a folder of its own',
    });
  for (let folder = own; !containsHome(folder, home); folder = dirname(folder)) {
    if (['package.json', 'pyproject.toml', 'node_modules'].some((it) => existsSync(join(folder, it))))
      return folder;
    if (existsSync(join(folder, '.git'))) break;
  }
  return own;
}

/** Whether a folder is the root, the home folder, or above it; also through links. */
function containsHome(folder: string, home: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  const isIn = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  return folder === dirname(folder) || isIn(home, folder) || isIn(real(home), real(folder));
}
