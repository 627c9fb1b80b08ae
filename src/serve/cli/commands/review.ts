import type { Operator, PackageReview, PackageState, RemoteHost, RemoteSession } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { errorTable } from '../../errors.js';
import { printReview } from '../../print/review.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption, sessionOptions } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { isPackagePath } from '../package-path.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { withHost } from '../with-host.js';

export const review: Command = {
  name: 'review',
  summary: 'Show packages that nobody accepted yet, or what changed since, and accept exactly that.',
  usage: 'review [PACKAGE|PATH] [--dir DIR]… [--accept DIGEST]',
  examples: [
    { line: 'toolwharf review', text: 'list the packages that need review' },
    { line: 'toolwharf review weather --dir tools', text: 'show what changed and ask whether to accept it' },
    {
      line: 'toolwharf review tools',
      text: 'show each package of a folder and ask; looking accepts nothing',
    },
    { line: 'toolwharf review tools --yes', text: 'accept all packages of a folder that are new' },
    { line: 'toolwharf review weather --accept 3f9c…', text: 'accept what was shown, without a prompt' },
  ],
  options: [
    dirOption,
    { name: 'accept', value: 'DIGEST', text: 'accept the state with this digest, and no other' },
    pinOption,
    dryRunOption,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [word, ...more] = args.positionals;
    if (more.length > 0)
      throw new HostError('usage', 'review one package at a time', { hint: 'see "toolwharf review --help"' });
    if (word === undefined && args.has('accept'))
      throw new HostError('usage', '--accept needs the name of a package', {
        hint: 'toolwharf review PACKAGE --accept DIGEST',
      });
    const isPath = word !== undefined && isPackagePath(word, terminal);
    const options = await sessionFor(args, terminal, [...args.values('dir'), ...(isPath ? [word] : [])]);
    return withHost(args, terminal, async (host) => {
      const session = await host.session({ ...options, intent: 'review' });
      const context = { session, operator: operatorOnce(host, args, terminal), args, terminal };
      const id = isPath ? await onlyIn(word, session, args) : word;
      if (id !== undefined) return reviewOne(id, word ?? id, context);
      const isTyped = isPath || args.values('dir').length > 0;
      if (isTyped && args.has('yes') && args.has('json'))
        throw new HostError('usage', 'with --json, --yes accepts one package at a time', {
          hint: 'name the package, or leave out --json',
        });
      return isTyped && mayAccept(args, terminal)
        ? reviewAll(context)
        : listPackages(session, args, terminal);
    });
  },
};

interface ReviewContext {
  readonly session: RemoteSession;
  readonly operator: () => Promise<Operator>;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

/** The person at the terminal, who gives the PIN once for all packages. */
function operatorOnce(host: RemoteHost, args: Arguments, terminal: Terminal): () => Promise<Operator> {
  let operator: Promise<Operator> | undefined;
  return () => {
    operator ??= terminalOperator(host, args, terminal);
    return operator;
  };
}

/** Goes through all packages at a path that need review. Exit code 0 if none is left. */
async function reviewAll(context: ReviewContext): Promise<number> {
  const { session, args, terminal } = context;
  const ids = new Set((await waitingPackages(session)).flatMap((it) => it.id ?? []));
  let exit = 0;
  for (const id of ids) {
    exit = Math.max(exit, await reviewOne(id, id, context));
    if (terminal.signal.aborted) throw new HostError('canceled', 'interrupted');
  }
  if (ids.size === 0 && !args.has('quiet')) terminal.out('no package needs review\n');
  return exit;
}

async function waitingPackages(session: RemoteSession): Promise<readonly PackageState[]> {
  return (await session.packages()).packages.filter((it) => it.state === 'needs-review');
}

/** The id of the only package at a path; undefined if there are several, which are then listed. */
async function onlyIn(path: string, session: RemoteSession, args: Arguments): Promise<string | undefined> {
  const { packages } = await session.packages();
  const ids = packages.flatMap((it) => it.id ?? []);
  if (ids.length === 1 && packages.length === 1) return ids[0];
  if (packages.length === 1)
    throw new HostError('invalid_manifest', `${path} is not a valid package`, {
      hint: `see "toolwharf validate ${path}"`,
    });
  if (packages.length === 0)
    throw new HostError('not_found', `no package found in ${path}`, {
      hint: 'name a manifest, or a folder with packages',
    });
  if (args.has('accept'))
    throw new HostError('usage', `${path} has ${packages.length} packages; name the one to accept`, {
      hint: `toolwharf review PACKAGE --dir ${path} --accept DIGEST`,
    });
  return undefined;
}

async function listPackages(session: RemoteSession, args: Arguments, terminal: Terminal): Promise<number> {
  const waiting = await waitingPackages(session);
  if (args.has('json')) {
    const packages = waiting.map(({ id, path, reasons }) => ({ id, path, reasons }));
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/needs-review@1', packages })}\n`);
  } else if (waiting.length === 0) {
    terminal.out('no package needs review\n');
  } else {
    terminal.out(waiting.map((it) => describe(it, args)).join(''));
  }
  return 0;
}

function describe(it: PackageState, args: Arguments): string {
  const name = visibleLine(it.id ?? it.path);
  // The line below repeats the next step with the folders named here.
  const why = it.reasons.filter((reason) => reason !== it.nextStep);
  const reasons = why.map((reason) => `  ${visibleLine(reason)}\n`).join('');
  return `${name}\n${reasons}  review it: ${commandLine(['review', it.id ?? it.path], args)}\n`;
}

/** `word`: the package as written on the command line, for commands to copy. */
async function reviewOne(
  id: string,
  word: string,
  { session, operator, args, terminal }: ReviewContext,
): Promise<number> {
  const shown = await session.review(id);
  const needsReview = shown.widened.length + shown.reworded.length > 0;
  const digest = args.value('accept');
  if (digest !== undefined && digest !== shown.to) throw otherDigest(shown, word, args);
  if (!args.has('json') && !args.has('quiet'))
    terminal.out(printReview(shown, terminalStyle(args, terminal), terminal.columns));
  const accepted =
    needsReview && !isDryRun(args) && (digest !== undefined || (await agrees(shown, args, terminal)));
  if (accepted) await session.accept(id, shown.to, await operator());
  const status = accepted ? 'accepted' : needsReview ? 'needs-review' : 'up-to-date';
  if (args.has('json') && !(isDryRun(args) && digest !== undefined)) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/review@1', ...shown, status })}\n`);
  } else if (accepted) {
    terminal.out(`accepted: ${visibleLine(id)} may run\n`);
  }
  if (status !== 'needs-review') return 0;
  if (isDryRun(args) && digest !== undefined)
    return reportDryRun(`accept ${id} as it is now`, args, terminal);
  if (!args.has('json')) {
    const next = commandLine(['review', word], args, ['--accept', shown.to]);
    terminal.err(
      `needs review: ${visibleLine(id)} does not run until a person accepts the change\n  accept it: ${next}\n`,
    );
  }
  return errorTable.approval_required.exit;
}

/** --yes accepts a package that is new, as naming it to "serve" does. It never accepts a change of an accepted one. */
async function agrees(shown: PackageReview, args: Arguments, terminal: Terminal): Promise<boolean> {
  if (args.has('yes')) return shown.from === undefined;
  if (!canAsk(args, terminal)) return false;
  return terminal.confirm(shown.from === undefined ? 'Accept this package?' : 'Accept this change?');
}

function mayAccept(args: Arguments, terminal: Terminal): boolean {
  return !args.has('json') && !isDryRun(args) && (args.has('yes') || canAsk(args, terminal));
}

function canAsk(args: Arguments, terminal: Terminal): boolean {
  return terminal.stdinIsTerminal && !['no-input', 'json', 'dry-run'].some((it) => args.has(it));
}

function otherDigest(shown: PackageReview, word: string, args: Arguments): HostError {
  return new HostError(
    'integrity',
    `${shown.package} does not have the digest after --accept; it is ${shown.to} now`,
    {
      hint: `review it again: ${commandLine(['review', word], args)}`,
    },
  );
}

/** A command to copy, with the same packages and state directory. */
function commandLine(parts: readonly string[], args: Arguments, more: readonly string[] = []): string {
  const same = ['dir', 'config', 'state', 'cwd'].flatMap((name) =>
    args.values(name).flatMap((value) => [`--${name}`, value]),
  );
  return visibleLine(['toolwharf', ...parts, ...same, ...more].map(shellQuote).join(' '));
}
