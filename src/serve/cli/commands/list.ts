import { relative } from 'node:path';
import type { PackageReport, SessionOptions } from '../../../host/host.js';
import { attentionOf } from '../../print/attention.js';
import { printPackages } from '../../print/packages.js';
import { visibleLine } from '../../print/visible.js';
import { wrap } from '../../print/width.js';
import type { Arguments } from '../arguments.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { sessionFor } from '../session-options.js';
import { styleFor } from '../style-for.js';
import type { Terminal } from '../terminal.js';

export const list: Command = {
  name: 'list',
  summary: 'Show packages with their state, and why some are not ready.',
  usage: 'list [DIR…] [options]',
  examples: [
    { line: 'toolwharf list', text: 'everything below this folder' },
    { line: 'toolwharf list tools ~/more-tools', text: 'two places' },
    { line: 'toolwharf list --json', text: 'for a script' },
    { line: 'toolwharf list --attention', text: 'what waits for a person: unknown outcomes, held calls, …' },
  ],
  options: [
    { name: 'attention', text: 'only what waits for a person, and what to do about it' },
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const wanted = await sessionFor(args, terminal, args.positionals);
    if (args.has('attention')) return attention(args, terminal, wanted);
    const report = await withHost(args, terminal, async (host) => {
      const session = await host.session(wanted);
      return session.packages();
    });
    if (args.has('json')) terminal.out(`${JSON.stringify(listDocument(report, terminal.cwd))}\n`);
    else terminal.out(printPackages(report, styleFor(args, terminal), terminal.columns));
    return 0;
  },
};

async function attention(args: Arguments, terminal: Terminal, wanted: SessionOptions): Promise<number> {
  const items = await withHost(args, terminal, async (host) =>
    attentionOf({
      outcomes: await host.outcomes.unknown(),
      approvals: await host.approvals.list(['proposed']),
      kills: await host.kills.list(),
      packages: (await (await host.session(wanted)).packages()).packages,
    }),
  );
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/attention@1', items })}\n`);
  else if (items.length === 0) terminal.out('nothing waits for you\n');
  else
    for (const { kind, subject, message, command } of items) {
      const room = terminal.stdoutIsTerminal ? terminal.columns - 4 : Number.POSITIVE_INFINITY;
      const said = wrap(visibleLine(`${kind}  ${subject}: ${message}`), room);
      terminal.out(`${said.join('\n    ')}\n  ${visibleLine(command)}\n`);
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
