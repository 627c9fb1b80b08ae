import { relative } from 'node:path';
import type { Answer } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printPackages } from '../../print/packages.js';
import { visibleLine } from '../../print/visible.js';
import { socketPath } from '../../socket/path.js';
import { listen } from '../../socket/server.js';
import { aborted } from '../aborted.js';
import { stateDirectory } from '../arguments.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { sessionFor, sessionWords } from '../session-options.js';
import { styleFor } from '../style-for.js';
import { listDocument } from './list.js';

export const serve: Command = {
  name: 'serve',
  summary: 'Be the host in the foreground: show the packages, let clients in, print every call.',
  usage: 'serve [DIR…] [options]',
  examples: [
    { line: 'toolport serve tools', text: 'the packages in a folder' },
    { line: 'toolport serve --json', text: 'one JSON object for the start, then one a call' },
    { line: 'toolport serve tools --state .toolport', text: 'with a state directory of its own' },
  ],
  options: [{ name: 'root', value: 'DIR', text: 'workspace that tools may be lent' }, ...sessionOptions],
  async run(args, terminal) {
    const json = args.has('json');
    const style = styleFor(args, terminal);
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const wanted = await sessionFor(args, terminal, args.positionals, args.value('root'));
    const { directories } = wanted;
    const onAnswer = (answer: Answer, principal: string) => {
      terminal.out(
        json ? `${JSON.stringify(eventOf(answer, principal))}\n` : `${describe(answer, principal)}\n`,
      );
    };
    const host = await terminal.startHost({ state, onAnswer }).catch((error) => {
      if (!(error instanceof HostError) || error.code !== 'state_locked') throw error;
      throw new HostError('state_locked', error.message, {
        hint: 'a host in the background ends by itself a minute after its last client; or use --state',
        cause: error,
      });
    });
    try {
      const session = await host.session(wanted);
      const report = await session.packages();
      const server = await listen(host, {
        path: socketPath(state),
        version: terminal.version,
        onBug: (error) => terminal.err(`${String(error)}\n`),
      });
      const command = ['npx', 'toolport', 'mcp', ...directories, ...sessionWords(args), '--state', state];
      if (json) {
        terminal.out(
          `${JSON.stringify({ schema: 'toolport/serve@1', socket: socketPath(state), command, packages: listDocument(report, terminal.cwd).packages })}\n`,
        );
      } else {
        const config = JSON.stringify(
          { mcpServers: { toolport: { command: command[0], args: command.slice(1) } } },
          null,
          2,
        );
        terminal.out(
          `${printPackages(report, style, terminal.columns)}\nConnect an MCP client with\n${config}\n\n`,
        );
        terminal.out(
          `Serving ${directories.map((it) => relative(terminal.cwd, it) || '.').join(', ')}; Ctrl-C ends it.\n`,
        );
      }
      await aborted(terminal.signal);
      await server.close();
      return 0;
    } finally {
      await host.close();
    }
  },
};

function eventOf(answer: Answer, principal: string) {
  const code = 'error' in answer && answer.error !== undefined ? { code: answer.error.code } : {};
  return {
    event: 'call',
    tool: answer.tool,
    status: answer.status,
    ...code,
    principal,
    callId: answer.callId,
    durationMs: answer.durationMs,
  };
}

function describe(answer: Answer, principal: string): string {
  const why =
    'error' in answer && answer.error !== undefined ? `  ${answer.error.message.split('\n', 1)[0]}` : '';
  return visibleLine(
    `${answer.status.padEnd(8)} ${answer.tool}  ${Math.round(answer.durationMs)} ms  ${principal}${why}`,
  );
}
