import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { HostError } from '../../../model/host-error.js';
import type { ExposeMode } from '../../mcp/server-options.js';
import { visibleLine } from '../../print/visible.js';
import { clientKeyOption, presentedClientKey } from '../../socket/client-key.js';
import { sendHello } from '../../socket/connect.js';
import { McpShim, type ShimEnd } from '../../socket/mcp-shim.js';
import { connectToNextHost } from '../../socket/start-host.js';
import { stateDirectory } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { rootOption, sessionOptions, setOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { connectOptions, runBridge } from '../mcp-connect.js';

/** Pipes standard input and output to the host of the state directory, or to one at a URL; the host speaks MCP. */
export const mcp: Command = {
  name: 'mcp',
  summary: "Serve tools to an MCP client over stdio. A client's configuration runs this command.",
  usage: 'mcp [DIR…] [options]',
  examples: [
    { line: 'toolwharf mcp tools', text: 'serve the packages in a folder' },
    { line: 'toolwharf mcp tools --root ~/project', text: 'with a workspace for tools that need one' },
    { line: 'toolwharf mcp tools --expose search', text: 'for many tools: clients search for them' },
    {
      line: 'toolwharf mcp tools --allow net:127.0.0.1:8080',
      text: 'allow access to a server on this machine',
    },
    {
      line: 'toolwharf mcp --connect https://tools.example.com --token-file token',
      text: 'use a host on another machine',
    },
  ],
  options: [
    rootOption,
    {
      name: 'expose',
      value: 'WHICH',
      choices: ['all', 'search', 'auto'],
      text: 'tools that clients see: all, search (only meta-tools) or auto: by their number (default: auto)',
    },
    {
      name: clientKeyOption,
      value: 'FILE',
      text: 'file with the key of this client, written by "connect" (default: a client without a key)',
    },
    { name: 'installed', text: 'serve installed packages only, and search no folder' },
    setOption,
    ...connectOptions,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    if (connectOptions.some((it) => args.has(it.name))) return runBridge(args, terminal);
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const { main, environment, signal } = terminal;
    const expose = exposeOf(args.value('expose'));
    const keyFile = args.value(clientKeyOption);
    const clientKey = keyFile === undefined ? undefined : presentedClientKey(resolve(terminal.cwd, keyFile));
    const isInstalledOnly = args.has('installed');
    if (isInstalledOnly && args.positionals.length > 0)
      throw new HostError('usage', '--installed searches no folder', { hint: 'leave out one of them' });
    const settings = await sessionFor(args, terminal, args.positionals, args.value('root'));
    const options = isInstalledOnly ? { ...settings, directories: [] } : settings;
    const start = { state, main, environment, signal };
    const shim = new McpShim(terminal.stdin, terminal.stdout);
    signal.addEventListener('abort', () => shim.leave());
    const hello = {
      toolwharf: 'hello',
      version: terminal.version,
      protocol: 'mcp',
      ...options,
      principal: terminal.principal.replace(/cli$/, 'mcp'),
      ...(clientKey === undefined ? {} : { clientKey }),
      expose,
      // The next host knows by it what this client has seen.
      sessionName: `stdio ${randomUUID()}`,
    } as const;
    let end: ShimEnd = { kind: 'moved', process: null };
    while (end.kind === 'moved') {
      const socket = await connectToNextHost(start, end.process);
      // If the host dies, the connection fails and closes, which the shim reports.
      socket.on('error', () => {});
      const notes = await sendHello(socket, hello);
      for (const note of notes) terminal.err(`${visibleLine(note)}\n`);
      end = await shim.use(socket);
    }
    terminal.stdin.destroy();
    if (end.kind === 'lost')
      throw new HostError('host_unreachable', 'the host stopped', {
        hint: 'restart the client; this starts a new host',
      });
    return 0;
  },
};

function exposeOf(value = 'auto'): ExposeMode {
  if (value === 'all' || value === 'search' || value === 'auto') return value;
  throw new HostError('usage', `unknown value for --expose: ${JSON.stringify(value)}`, {
    hint: 'use all, search or auto',
  });
}
