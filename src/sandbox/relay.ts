import { existsSync } from 'node:fs';
import { HostError } from '../model/host-error.js';
import { nodeOptions } from './node-proxy.js';
import { nodeRelay, pythonRelay } from './relay-code.js';

/** Where the socket of the egress proxy is bound inside a sandbox. */
export const egressSocketInside = '/run/toolwharf/egress.sock';

const port = 3128;
/** All of them lie in the system that every sandbox sees. */
const pythons = ['/usr/bin/python3'];
const nodes = ['/usr/bin/node', '/usr/local/bin/node'];

/**
 * Starts a command with a way out: 127.0.0.1:3128 inside leads to the socket of the proxy outside. The address
 * listens before the command starts. With Python the launcher becomes the command itself, so that its status,
 * streams and process are the command's own; with Node it stays the parent.
 */
export function relayed(argv: readonly string[], exists: (path: string) => boolean = existsSync): string[] {
  const target = [egressSocketInside, String(port), ...argv];
  const python = pythons.find(exists);
  if (python !== undefined) return [python, '-I', '-S', '-c', pythonRelay, ...target];
  const node = nodes.find(exists);
  if (node !== undefined) return [node, '-e', nodeRelay, '--', ...target];
  throw new HostError(
    'sandbox_unavailable',
    'a tool with network access needs Python or Node from the system, and neither is installed',
    { hint: `install ${pythons[0]} or ${nodes[0]}` },
  );
}

/**
 * Names no exception, so that loopback goes to the proxy too and is refused or granted like any other host. `preload`
 * is the path inside of a file with `nodePreload` in it; without one the same travels in NODE_OPTIONS.
 */
export function proxyEnvironment(preload: string | null = null): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  return {
    ...Object.fromEntries(names.flatMap((it) => [it, it.toUpperCase()]).map((it) => [it, proxy])),
    NODE_USE_ENV_PROXY: '1',
    NODE_OPTIONS: nodeOptions(preload),
  };
}
