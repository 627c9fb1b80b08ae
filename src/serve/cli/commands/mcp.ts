import { HostError } from '../../../model/host-error.js';
import type { Expose } from '../../mcp/front.js';
import { greet } from '../../socket/connect.js';
import { dialOrLaunch } from '../../socket/launch.js';
import { stateDirectory } from '../arguments.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { sessionFor } from '../session-options.js';

/** The shim: standard streams on one side, the host of the state directory on the other, nothing between. */
export const mcp: Command = {
  name: 'mcp',
  summary: "Serve tools to an MCP client over stdio; this is the command for a client's configuration.",
  usage: 'mcp [DIR…] [options]',
  examples: [
    { line: 'toolwharf mcp tools', text: 'the packages in a folder' },
    { line: 'toolwharf mcp tools --root ~/project', text: 'with a workspace for tools that ask for one' },
    { line: 'toolwharf mcp tools --expose search', text: 'many tools, found by searching' },
    { line: 'toolwharf mcp tools --allow net:127.0.0.1:8080', text: 'with a server of your own machine' },
  ],
  options: [
    { name: 'root', value: 'DIR', text: 'workspace that tools may be lent' },
    {
      name: 'expose',
      value: 'WHICH',
      text: 'list "all" tools, only those to "search" for others, or decide by their number ("auto")',
    },
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const { main, environment, signal } = terminal;
    const expose = exposeOf(args.value('expose'));
    const wanted = await sessionFor(args, terminal, args.positionals, args.value('root'));
    const socket = await dialOrLaunch({ state, main, environment, signal });
    // A host that dies breaks the connection; that it closed is all we need to know.
    socket.on('error', () => {});
    await greet(socket, {
      toolwharf: 'hello',
      version: terminal.version,
      surface: 'mcp',
      ...wanted,
      principal: terminal.principal.replace(/cli$/, 'mcp'),
      expose,
    });
    let clientLeft = false;
    terminal.stdin.once('end', () => {
      clientLeft = true;
    });
    terminal.stdin.pipe(socket);
    socket.pipe(terminal.stdout);
    terminal.signal.addEventListener('abort', () => {
      clientLeft = true;
      socket.destroy();
    });
    await new Promise<void>((done) => socket.once('close', done));
    terminal.stdin.destroy();
    if (!clientLeft)
      throw new HostError('host_unreachable', 'the host ended', {
        hint: 'start the client again; the next start brings a new host',
      });
    return 0;
  },
};

function exposeOf(given = 'auto'): Expose {
  if (given === 'all' || given === 'search' || given === 'auto') return given;
  throw new HostError('usage', `--expose ${JSON.stringify(given)} is not known`, {
    hint: 'it is all, search or auto',
  });
}
