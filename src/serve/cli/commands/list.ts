import { relative } from 'node:path';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import type { PackageReport, RemoteSession, SessionOptions, SessionWaiver } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { errorTable } from '../../errors.js';
import { attentionOf, revokingText } from '../../print/attention.js';
import { printPackages } from '../../print/packages.js';
import { reportedSetLine } from '../../print/sets.js';
import { visibleLine } from '../../print/visible.js';
import { inactiveNotes, unusedGrantWarnings } from '../../print/waivers.js';
import { wrap } from '../../print/width.js';
import type { Arguments, Command } from '../command/command.js';
import { sessionOptions, setOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import {
  assertWordsMatch,
  filterOptions,
  isEmptyFilter,
  matchesFilter,
  splitFilter,
} from '../package-filter.js';
import { RollbackWarnings } from '../rollback-warnings.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { unusedGrantsMember } from '../waivers.js';
import { lookAtHost } from '../with-host.js';

export function listCommand(formats: readonly FormatDescriptor[]): Command {
  const names = formats.map((it) => it.name);
  return {
    name: 'list',
    summary: 'Show packages with their state, and the reasons why some are not ready.',
    usage: 'list [DIR…] [WORD…] [options]',
    examples: [
      { line: 'toolwharf list', text: 'show everything below this folder' },
      { line: 'toolwharf list tools ~/more-tools', text: 'show two folders' },
      { line: 'toolwharf list weather', text: 'only packages with this word in a name or description' },
      { line: 'toolwharf list --state broken --format patch', text: 'only broken packages of one format' },
      { line: 'toolwharf list --json', text: 'print JSON for a script' },
      { line: 'toolwharf list --attention', text: 'show only what needs a decision or setup' },
    ],
    options: [
      { name: 'attention', text: 'show only what needs attention, with the command to run' },
      ...filterOptions(names),
      setOption,
      ...sessionOptions,
    ],
    async run(given, terminal) {
      const { args, paths, filter } = splitFilter(given, names, terminal);
      const options = await sessionFor(args, terminal, paths);
      if (args.has('attention')) {
        if (!isEmptyFilter(filter))
          throw new HostError('usage', 'use --attention or a filter, not both', {
            hint: 'a filter is a word, --state or --format',
          });
        return attention(args, terminal, options);
      }
      const { report, waivers, revoking } = await lookAtHost(args, terminal, async (host) => {
        await new RollbackWarnings(terminal.err).reportAll(host);
        const session = await host.session({ ...options, intent: 'look' });
        return {
          report: await session.packages(),
          waivers: await session.waivers(),
          revoking: (await session.installations.list()).flatMap((it) =>
            it.state === 'revoking' ? it.package : [],
          ),
        };
      });
      assertWordsMatch(report.packages, filter, revoking);
      const packages = report.packages.filter((it) => matchesFilter(it, filter));
      const shown = { ...report, packages };
      if (args.has('json')) {
        const document = {
          ...listDocument(shown, terminal.cwd),
          ...inactiveMember(waivers),
          ...unusedGrantsMember(waivers, args),
        };
        terminal.out(`${JSON.stringify(document)}\n`);
      } else {
        for (const it of unusedGrantWarnings(waivers, args.values('allow')))
          terminal.err(`warning: ${visibleLine(it)}\n`);
        const notes = inactiveNotes(waivers).map((it) => `${visibleLine(it)}\n`);
        if (packages.length > 0 || report.packages.length === 0)
          terminal.out(printPackages(shown, terminalStyle(args, terminal), terminal.columns, paths));
        if (packages.length < report.packages.length)
          terminal.out(`${packages.length} of ${report.packages.length} packages match\n`);
        for (const id of revoking)
          terminal.out(
            `${visibleLine(`${id}: ${revokingText}; try again: toolwharf revoke ${shellQuote(id)} --retry`)}\n`,
          );
        if (report.set !== undefined) terminal.out(`${visibleLine(reportedSetLine(report.set))}\n`);
        if (notes.length > 0) terminal.out(`\n${notes.join('')}`);
      }
      return packages.some((it) => it.state === 'broken') ? errorTable.invalid_manifest.exit : 0;
    },
  };
}

async function sessionAttention(session: RemoteSession) {
  return {
    packages: (await session.packages()).packages,
    installed: await session.installations.list(),
    waivers: await session.waivers(),
  };
}

/** Absent if all settings are in force. */
function inactiveMember(waivers: readonly SessionWaiver[]) {
  const inactive = waivers.filter((it) => !it.active);
  return inactive.length === 0 ? {} : { inactive };
}

async function attention(args: Arguments, terminal: Terminal, options: SessionOptions): Promise<number> {
  const items = await lookAtHost(args, terminal, async (host) =>
    attentionOf({
      rollbacks: await host.rollbacks.list(),
      outcomes: await host.outcomes.unknown(),
      approvals: await host.approvals.list(['proposed']),
      installRequests: await host.installRequests.list(),
      kills: await host.kills.list(),
      moved: await host.quarantine.list(),
      ...(await sessionAttention(
        await host.session({ ...options, intent: 'look', set: options.set ?? null }),
      )),
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
    ...(report.set === undefined ? {} : { set: report.set }),
    summary: report.summary,
  };
}
