import type { LearnProposal, RemoteHost } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printProposal } from '../../print/learning.js';
import { parseDuration, parseLifetime } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption } from '../config/config.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { lifecycleOptions, namedPackage, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

export const learn: Command = {
  name: 'learn',
  summary: 'Show what a package really used, propose the smallest grant for it, and narrow it if you agree.',
  usage: 'learn PKG [--for TIME | --since TIME | --undo] [--dir DIR]… [options]',
  examples: [
    { line: 'toolwharf learn weather', text: 'from its calls of the last 7 days' },
    { line: 'toolwharf learn weather --for 10m', text: 'watch its next calls, and its changes of files too' },
    {
      line: 'toolwharf learn weather --since 2h --yes',
      text: 'narrow it without a question; never widens it',
    },
    {
      line: 'toolwharf learn weather --allow net:maps.example.com',
      text: 'also allow a host that it was denied',
    },
    { line: 'toolwharf learn weather --undo', text: 'allow again what its manifest asks for' },
  ],
  options: [
    { name: 'for', value: 'TIME', text: 'watch its calls for this time, such as 10m; Ctrl-C ends it sooner' },
    { name: 'since', value: 'TIME', text: 'use its calls of this last time, such as 2h (default: 7d)' },
    { name: 'undo', text: 'remove what was learned' },
    dirOption,
    pinOption,
    dryRunOption,
    ...lifecycleOptions,
  ],
  async run(args, terminal) {
    const id = namedPackage(args, 'learn');
    const given = ['for', 'since', 'undo'].filter((it) => args.has(it));
    if (given.length > 1) throw new HostError('usage', `use --${given[0]} or --${given[1]}, not both`);
    if (args.has('undo')) return undo(id, args, terminal);
    const grants = grantedHosts(args);
    const since = await observedSince(id, args, terminal);
    return withHost(args, terminal, async (host) => {
      const session = await open(host, args, terminal, 'look');
      const proposal = await session.learning.propose({ package: id, since });
      const isQuestion = !isDryRun(args) && (proposal.removes.length > 0 || grants.length > 0);
      if (!args.has('json'))
        terminal.out(printProposal(proposal, terminal.stdoutIsTerminal ? terminal.columns : undefined));
      else if (!isQuestion) terminal.out(`${JSON.stringify({ schema: 'toolwharf/learn@1', ...proposal })}\n`);
      if (!isQuestion) {
        if (!args.has('json') && proposal.removes.length === 0) terminal.out('nothing to narrow\n');
        return 0;
      }
      if (!(await agrees(proposal, grants, args, terminal))) {
        terminal.err('nothing was changed\n');
        return errorTable.approval_required.exit;
      }
      const { network, noWriting } = proposal.narrowing;
      const added = grants.map((it) => it.slice('net:'.length));
      const writing = await open(host, args, terminal, 'use');
      const done = await writing.learning.apply({
        ...{ package: id, noWriting, grants, by: await terminalOperator(host, args, terminal) },
        network: network === null ? null : [...new Set([...network, ...added])].sort(),
      });
      terminal.out(
        args.has('json')
          ? `${JSON.stringify({ schema: 'toolwharf/narrowing@1', ...done })}\n`
          : `narrowed: ${id}; undo it with toolwharf learn ${id} --undo\n`,
      );
      return 0;
    });
  },
};

function open(host: RemoteHost, args: Arguments, terminal: Terminal, intent: 'look' | 'use') {
  return openLifecycleSession(host, args, terminal, intent, args.values('dir'));
}

/** Only hosts can be added, each with its port. */
function grantedHosts(args: Arguments): string[] {
  return packageAllow(args).map((it) => {
    const [, host, port = ':443'] = /^net:([^\s:/@[\]*]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/.exec(it) ?? [];
    if (host === undefined || host === 'public')
      throw new HostError('usage', `"${it}" cannot be added here`, { hint: 'write --allow net:HOST[:PORT]' });
    return `net:${host.toLowerCase()}${port}`;
  });
}

/** Watches first if the person asked for it. The host is closed meanwhile, so that other commands can use it. */
async function observedSince(id: string, args: Arguments, terminal: Terminal): Promise<number | undefined> {
  const past = args.value('since');
  if (past !== undefined) return Date.now() - parseLifetime(past, 'since');
  const time = args.value('for');
  if (time === undefined) return undefined;
  if (isDryRun(args))
    throw new HostError('usage', '--for watches and changes nothing; leave out --dry-run or --for');
  const waitMs = parseDuration(time, 'for');
  const { since, until } = await withHost(args, terminal, async (host) => {
    const session = await open(host, args, terminal, 'use');
    return session.learning.watch({ package: id, seconds: waitMs / 1000 });
  });
  terminal.err(`watching ${id} until ${new Date(until).toISOString()}; press Ctrl-C to stop sooner\n`);
  await new Promise<void>((resolve) => {
    if (terminal.signal.aborted) return resolve();
    const timer = setTimeout(resolve, waitMs);
    terminal.signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
  return since;
}

async function agrees(
  { package: id }: LearnProposal,
  grants: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<boolean> {
  if (args.has('yes')) return true;
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('approval_required', `nobody agreed to narrow ${id}`, { hint: 'add --yes' });
  const also = grants.length === 0 ? '' : ` and allow ${grants.join(', ')}`;
  return terminal.confirm(`Narrow ${id}${also}?`);
}

async function undo(id: string, args: Arguments, terminal: Terminal): Promise<number> {
  return withHost(args, terminal, async (host) => {
    if (isDryRun(args)) return reportDryRun(`undo the narrowing of ${id}`, args, terminal);
    const session = await open(host, args, terminal, 'use');
    const isDone = await session.learning.undo(id, await terminalOperator(host, args, terminal));
    const text = isDone ? `${id} may use what its manifest asks for again` : `${id} was not narrowed`;
    if (args.has('json'))
      terminal.out(
        `${JSON.stringify({ schema: 'toolwharf/narrowing@1', package: id, network: null, noWriting: false, grants: [], at: Date.now(), by: terminal.principal })}\n`,
      );
    else terminal.out(`${text}\n`);
    return 0;
  });
}
