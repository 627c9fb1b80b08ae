import { relative } from 'node:path';
import type { PackageReport, SessionOptions } from '../../../host/host.js';
import { attentionOf } from '../../print/attention.js';
import { printPackages } from '../../print/packages.js';
import { visibleLine } from '../../print/visible.js';
import { wrap } from '../../print/width.js';
import type { Arguments, Command } from '../command/command.js';
import { sessionOptions } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { RollbackWarnings } from '../rollback-warnings.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { withHost } from '../with-host.js';

export const listCommand: Command = {
  name: 'list',
  summary: 'Show packages with their state, and the reasons why some are not ready.',
  usage: 'list [DIR…] [options]',
  examples: [
    { line: 'toolwharf list', text: 'show everything below this folder' },
    { line: 'toolwharf list tools ~/more-tools', text: 'show two folders' },
    { line: 'toolwharf list --json', text: 'print JSON for a script' },
    { line: 'toolwharf list --attention', text: 'show only what needs a decision or setup' },
  ],
  options: [
    { name: 'attention', text: 'show only what needs attention, with the command to run' },
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const options = await sessionFor(args, terminal, args.positionals);
    if (args.has('attention')) return attention(args, terminal, options);
    const report = await withHost(args, terminal, async (host) => {
      await new RollbackWarnings(terminal.err).reportAll(host);
      const session = await host.session(options);
      return session.packages();
    });
    if (args.has('json')) terminal.out(`${JSON.stringify(listDocument(report, terminal.cwd))}\n`);
    else terminal.out(printPackages(report, terminalStyle(args, terminal), terminal.columns));
    return 0;
  },
};

async function attention(args: Arguments, terminal: Terminal, options: SessionOptions): Promise<number> {
  const items = await withHost(args, terminal, async (host) =>
    attentionOf({
      rollbacks: await host.rollbacks.list(),
      outcomes: await host.outcomes.unknown(),
      approvals: await host.approvals.list(['proposed']),
      kills: await host.kills.list(),
      packages: (await (await host.session(options)).packages()).packages,
    }),
  );
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/attention@1', items })}\n`);
  else if (items.length === 0) terminal.out('nothing needs attention\n');
  else
    for (const { kind, subject, message, command } of items) {
      const room = terminal.stdoutIsTerminal ? terminal.columns - 4 : Number.POSITIVE_INFINITY;
      const lines = wrap(visibleLine(`${kind}  ${subject}: ${message}`), room);
      terminal.out(`${lines.join('\n    ')}\n  ${visibleLine(command)}\n`);
    }
  return 0;
}

export function listDocument(report: PackageReport, cwd: string) {
  return {
    schema: 'toolwharf/list@1',
    packages: report.packages.map(({ id, version, format, path, state, reasons, sandbox, tools }) => ({
      id,
      version,
      format,
      path: relative(cwd, path) || path,
      state,
      reasons,
      sandbox,
      tools,
    })),
    summary: report.summary,
  };
}
