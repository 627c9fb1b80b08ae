import { PathNames } from './path-names.js';

/**
 * Files and folders that decide what other programs do: this host, its clients, editors, shells and git. A tool that
 * writes one of them could make another program run its code. Found at every depth of a mounted folder.
 */
export const steeringPlaces: readonly string[] = [
  // This host, and clients with agents.
  'toolwharf.toml',
  '.config/toolwharf',
  '.mcp.json',
  '.claude',
  '.claude.json',
  '.codex',
  '.codeium',
  '.continue',
  '.cursor',
  '.gemini',
  '.windsurf',
  '.config/Claude',
  // Editors and debuggers: tasks, extensions and start files.
  '.vscode',
  '.idea',
  '.zed',
  '.config/Code',
  '.config/Cursor',
  '.config/nvim',
  '.config/zed',
  '.vimrc',
  '.gvimrc',
  '.exrc',
  '.nvimrc',
  '.nvim.lua',
  '.emacs',
  '.emacs.d',
  '.dir-locals.el',
  '.gdbinit',
  '.lldbinit',
  // Git: hooks, and settings that name programs. Other folders of git are found by their content.
  '.git/hooks',
  '.git/config',
  '.git/config.worktree',
  '.gitconfig',
  '.config/git',
  '.husky',
  // Shells and sessions.
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.envrc',
  '.tmux.conf',
  '.screenrc',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.config/fish',
  '.config/autostart',
  '.config/systemd',
];

const names = new PathNames(steeringPlaces);
/** What steers git in a folder with its data, whatever the folder is called: a bare repository, a submodule. */
const gitPlaces: ReadonlySet<string> = new Set(['config', 'config.worktree', 'hooks']);
/** Agents keep whole working copies of projects there, which are ordinary workspaces. */
const workingCopy = /\/\.(?:claude|codex|cursor)\/worktrees\/[^/]+(?:\/|$)/;

/** Whether an entry of a folder steers other programs. `folder`: absolute, without a slash at its end. */
export function isSteeringPlace(folder: string, name: string): boolean {
  return names.has(folder, name);
}

/** The entries that steer git, if a folder with these entries contains the data of git. */
export function gitSteeringPlaces(entries: ReadonlySet<string>): readonly string[] {
  if (!entries.has('objects') || !entries.has('refs')) return [];
  return [...gitPlaces].filter((it) => entries.has(it));
}

/** The part of an absolute path that steers other programs, the path itself included; undefined if there is none. */
export function steeringPlaceAbove(path: string): string | undefined {
  const copy = workingCopy.exec(path);
  const start = copy === null ? 0 : copy.index + copy[0].length - 1;
  const parts = path.split('/');
  let folder = '';
  for (const name of parts.slice(1)) {
    if (folder.length >= start && isSteeringPlace(folder, name)) return `${folder}/${name}`;
    folder = `${folder}/${name}`;
  }
  return undefined;
}
