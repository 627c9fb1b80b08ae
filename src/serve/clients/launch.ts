// The words by which a client starts Toolwharf, and the URL by which it asks it. Clients start programs anywhere, with
// another environment: every path is absolute and nothing is left to be found.
import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';

export interface Launch {
  /** Absolute path of the interpreter. */
  readonly node: string;
  /** The script that runs now. */
  readonly main: string;
  readonly cwd: string;
  readonly home: string;
  /** Files and folders with packages. */
  readonly paths: readonly string[];
  /** Workspace that tools may be lent; undefined where the client starts servers in it. */
  readonly root: string | undefined;
  /** Further words, in pairs of flag and value or alone. */
  readonly more: readonly string[];
}

export function commandOf({ node, main, cwd, home, paths, root, more }: Launch): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const place = (path: string) => resolve(cwd, path.replace(/^~(?=\/|$)/, home));
  return {
    command: node,
    args: [
      scriptOf(main),
      'mcp',
      ...paths.map(place),
      ...(root === undefined ? [] : ['--root', place(root)]),
      ...more.map((word, at) => absolute(more[at - 1], word, place)),
    ],
  };
}

/** Links to the script may go away with a project's packages; the script itself is what was tried. */
export function scriptOf(main: string): string {
  try {
    return realpathSync(main);
  } catch {
    return resolve(main);
  }
}

const pathFlags = new Set(['--config', '--state', '--find-links']);

function absolute(flag: string | undefined, word: string, place: (path: string) => string): string {
  if (flag !== undefined && pathFlags.has(flag)) return place(word);
  const grant = flag === '--allow' ? /^((?:[^:=]+=)?(?:read|write):)(.*)$/s.exec(word) : null;
  return grant === null ? word : `${grant[1]}${place(grant[2] as string)}`;
}

/** The address of the MCP endpoint; a name without a path means the usual one. */
export function endpointOf(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const wrong = (why: string) =>
    new HostError('usage', `--http ${JSON.stringify(written)} ${why}`, {
      hint: 'write the MCP URL that "toolwharf serve" shows, such as http://127.0.0.1:8377/mcp',
    });
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw wrong('is no http or https URL');
  if (url.username !== '' || url.password !== '') throw wrong('has a password in it');
  if (url.search !== '' || url.hash !== '') throw wrong('has more after its path');
  if (url.protocol === 'http:' && !isLoopback(url)) throw wrong('would send the token in the clear');
  if (url.pathname === '/') url.pathname = '/mcp';
  return url;
}

export function isLoopback(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(url.hostname);
}

/** Copies that npx fetched are swept away some day. */
export function isPassing(main: string): boolean {
  return /[\\/]_npx[\\/]/.test(main);
}

/** The home folder as the environment says. */
export function homeOf(environment: Readonly<Record<string, string | undefined>>, otherwise: string): string {
  const named = environment.HOME || environment.USERPROFILE || otherwise;
  return isAbsolute(named) ? named : join('/', named);
}
