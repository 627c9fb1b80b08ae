import { existsSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { nodeOptions } from './node-proxy.js';
import { nodeRelay, pythonRelay } from './relay-code.js';

/** Path of the egress proxy's socket inside a sandbox. */
export const egressSocketInside = '/run/toolwharf/egress.sock';

const port = 3128;
/** All of them are in /usr, which every sandbox mounts. */
const pythons = ['/usr/bin/python3'];
const nodes = ['/usr/bin/node', '/usr/local/bin/node'];

/**
 * Starts a command with network access: a relay forwards 127.0.0.1:3128 inside to the socket of the egress proxy outside.
 * The port listens before the command starts. The Python relay replaces itself with the command (exec), so exit status,
 * streams and process id are the command's own. The Node relay stays the parent process.
 */
export function withRelay(argv: readonly string[], exists: (path: string) => boolean = existsSync): string[] {
  const target = [egressSocketInside, String(port), ...argv];
  const python = pythons.find(exists);
  if (python !== undefined) return [python, '-I', '-S', '-c', pythonRelay, ...target];
  const node = nodes.find(exists);
  if (node !== undefined) return [node, '-e', nodeRelay, '--', ...target];
  throw new HostError(
    'sandbox_unavailable',
    'a tool with network access needs the Python or Node of the system; neither is installed',
    { hint: `install ${pythons[0]} or ${nodes[0]}` },
  );
}

/**
 * Sets no exceptions (no_proxy), so that loopback goes through the proxy too and is allowed or denied like any other host.
 * `preload` is the path of the `nodePreload` file inside the sandbox; null puts the script itself into NODE_OPTIONS.
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
