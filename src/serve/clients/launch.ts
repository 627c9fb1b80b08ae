// The command by which a client starts Toolwharf, or the URL by which it connects. Clients start programs in any folder
// and with another environment, so every path is absolute.

import { realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';

export interface LaunchOptions {
  /** Absolute path of the interpreter. */
  readonly node: string;
  /** The script that runs now. */
  readonly main: string;
  readonly cwd: string;
  readonly home: string;
  /** Files and folders with packages. */
  readonly paths: readonly string[];
  /** Workspace folder that tools may use; undefined if the client starts servers in it. */
  readonly root: string | undefined;
  /** Further arguments: flags, with or without a value. */
  readonly more: readonly string[];
}

export function mcpCommand({ node, main, cwd, home, paths, root, more }: LaunchOptions): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const place = (path: string) => resolve(cwd, path.replace(/^~(?=\/|$)/, home));
  return {
    command: node,
    args: [
      scriptPath(main),
      'mcp',
      ...paths.map(place),
      ...(root === undefined ? [] : ['--root', place(root)]),
      ...more.map((word, at) => absolute(more[at - 1], word, place)),
    ],
  };
}

/** Links are resolved, because a link may disappear with a project's node_modules. */
export function scriptPath(main: string): string {
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

/** How the person wrote the URL of an endpoint. */
export interface EndpointOption {
  /** Default: --http. */
  readonly option?: string;
  /** Whether the token may be sent unencrypted to another machine. */
  readonly plainHttp?: boolean;
}

/** The URL of the MCP endpoint. Default path: /mcp. */
export function mcpEndpoint(
  written: string,
  { option = '--http', plainHttp = false }: EndpointOption = {},
): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const wrong = (why: string, shown = JSON.stringify(written)) =>
    new HostError('usage', `${option} ${shown} ${why}`, {
      hint: 'write the MCP URL that "toolwharf serve" shows, such as http://127.0.0.1:8377/mcp',
    });
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw wrong('is not an http or https URL');
  if (url.username !== '' || url.password !== '') throw wrong('contains a password', url.host);
  if (url.search !== '' || url.hash !== '') throw wrong('has a query or fragment');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname) && !plainHttp)
    throw new HostError('usage', `${option} ${JSON.stringify(written)} would send the token unencrypted`, {
      hint:
        option === '--connect'
          ? 'use https, or a tunnel to 127.0.0.1; in a network that you trust, such as between a VM and its machine, add --plain-http'
          : 'use https, with a TLS proxy in front of the host',
    });
  if (url.pathname === '/') url.pathname = '/mcp';
  return url;
}

/** npx deletes its cached copies at some point. */
export function isInNpxCache(main: string): boolean {
  return /[\\/]_npx[\\/]/.test(main);
}

/** The home folder from the environment, else `otherwise`. */
export function homeDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  otherwise: string,
): string {
  const named = environment.HOME || environment.USERPROFILE || otherwise;
  return isAbsolute(named) ? named : join('/', named);
}
