import { connectOrStartHost } from '../../socket/start-host.js';
import { stateDirectory } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { rootOption, sessionOptions, setOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

export const openCommand: Command = {
  name: 'open',
  summary: 'Open the console in a browser: held calls, packages and everything else that needs you.',
  usage: 'open [DIR…] [options]',
  examples: [
    { line: 'toolwharf open', text: 'open the console of the running host, or of a host in the background' },
    { line: 'toolwharf open tools', text: 'with the packages of a folder, if no "toolwharf serve" runs' },
    { line: 'toolwharf open --no-browser', text: 'only print the link, for another machine or a phone' },
  ],
  options: [rootOption, { name: 'no-browser', text: 'only print the link' }, setOption, ...sessionOptions],
  async run(args, terminal) {
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const session = await sessionFor(args, terminal, args.positionals, args.value('root'));
    const { main, environment, signal } = terminal;
    // The connection keeps a new host alive until it has made the link.
    const connection = await connectOrStartHost({ state, main, environment, signal });
    connection.on('error', () => {});
    const link = await withHost(args, terminal, async (host) => (await host.session(session)).consoleLink());
    connection.destroy();
    if (args.has('json')) {
      terminal.out(`${JSON.stringify({ schema: 'toolwharf/open@1', ...link })}\n`);
      return 0;
    }
    terminal.out(`${link.url}\n`);
    await showIn(terminal, link.url, args.has('no-browser'));
    return 0;
  },
};

async function showIn(terminal: Terminal, url: string, isPrintedOnly: boolean): Promise<void> {
  const isOpened = !isPrintedOnly && (await terminal.openBrowser(url));
  terminal.err(
    isOpened
      ? 'The console is open in your browser.\n'
      : `${isPrintedOnly ? '' : 'No browser was found here. '}Open the link in a browser. It works once, for one hour.\n`,
  );
}
