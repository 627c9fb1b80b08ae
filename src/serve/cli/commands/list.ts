import { relative } from 'node:path';
import type { PackageReport, RemoteSession, SessionOptions, SessionWaiver } from '../../../host/host.js';
import { attentionOf } from '../../print/attention.js';
import { printPackages } from '../../print/packages.js';
import { visibleLine } from '../../print/visible.js';
import { inactiveNotes } from '../../print/waivers.js';
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
    const { report, waivers } = await withHost(args, terminal, async (host) => {
      await new RollbackWarnings(terminal.err).reportAll(host);
      const session = await host.session({ ...options, intent: 'look' });
      return { report: await session.packages(), waivers: await session.waivers() };
    });
    if (args.has('json')) {
      const document = { ...listDocument(report, terminal.cwd), ...inactiveMember(waivers) };
      terminal.out(`${JSON.stringify(document)}\n`);
    } else {
      const notes = inactiveNotes(waivers).map((it) => `${visibleLine(it)}\n`);
      terminal.out(printPackages(report, terminalStyle(args, terminal), terminal.columns, args.positionals));
      if (notes.length > 0) terminal.out(`\n${notes.join('')}`);
    }
    return 0;
  },
};

async function sessionAttention(session: RemoteSession) {
  return { packages: (await session.packages()).packages, waivers: await session.waivers() };
}

/** Absent if all settings are in force. */
function inactiveMember(waivers: readonly SessionWaiver[]) {
  const inactive = waivers.filter((it) => !it.active);
  return inactive.length === 0 ? {} : { inactive };
}

async function attention(args: Arguments, terminal: Terminal, options: SessionOptions): Promise<number> {
  const items = await withHost(args, terminal, async (host) =>
    attentionOf({
      rollbacks: await host.rollbacks.list(),
      outcomes: await host.outcomes.unknown(),
      approvals: await host.approvals.list(['proposed']),
      kills: await host.kills.list(),
      moved: await host.quarantine.list(),
      ...(await sessionAttention(await host.session({ ...options, intent: 'look' }))),
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
