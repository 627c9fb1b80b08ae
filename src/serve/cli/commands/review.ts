import { resolve } from 'node:path';
import type { PackageReview, PackageState, RemoteHost, RemoteSession } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { errorTable } from '../../errors.js';
import { printReview } from '../../print/review.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption, sessionOptions, sessionSettings } from '../config/config.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { isPackagePath } from '../package-path.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { withHost } from '../with-host.js';

export const review: Command = {
  name: 'review',
  summary: 'Show what changed in a package since it was accepted, and accept exactly that.',
  usage: 'review [PACKAGE|PATH] [--dir DIR]… [--accept DIGEST]',
  examples: [
    { line: 'toolwharf review', text: 'list the packages that need review' },
    { line: 'toolwharf review weather --dir tools', text: 'show what changed and ask whether to accept it' },
    { line: 'toolwharf review tools/weather', text: 'the same, by path; looking accepts nothing' },
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
    const { defaultPaths, defaultAcceptNewIn: _, ...settings } = await sessionSettings(args, terminal);
    const isPath = word !== undefined && isPackagePath(word, terminal);
    const named = [...args.values('dir'), ...(isPath ? [word] : [])].map((it) => resolve(terminal.cwd, it));
    return withHost(args, terminal, async (host) => {
      const session = await host.session({
        principal: terminal.principal,
        directories: named.length === 0 ? defaultPaths() : named,
        root: terminal.cwd,
        ...settings,
        // Other commands accept what is at a named path. A review must not.
        inspectOnly: true,
      });
      const id = isPath ? await onlyIn(word, session, args) : word;
      if (id === undefined) return listPackages(session, args, terminal);
      return reviewOne(id, word ?? id, { host, session }, args, terminal);
    });
  },
};

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
  const waiting = (await session.packages()).packages.filter((it) => it.state === 'needs-review');
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
  { host, session }: { readonly host: RemoteHost; readonly session: RemoteSession },
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const shown = await session.review(id);
  const needsReview = shown.widened.length + shown.reworded.length > 0;
  const digest = args.value('accept');
  if (digest !== undefined && digest !== shown.to) throw otherDigest(shown, word, args);
  const asks = needsReview && digest === undefined && canAsk(args, terminal);
  if (!args.has('json') && !args.has('quiet'))
    terminal.out(printReview(shown, terminalStyle(args, terminal), terminal.columns));
  const accepted =
    needsReview &&
    !isDryRun(args) &&
    (digest !== undefined || (asks && (await terminal.confirm('Accept this change?'))));
  if (accepted) await session.accept(id, shown.to, await terminalOperator(host, args, terminal));
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

function canAsk(args: Arguments, terminal: Terminal): boolean {
  // --yes never accepts a change.
  const never = ['no-input', 'json', 'yes', 'dry-run'].some((it) => args.has(it));
  return terminal.stdinIsTerminal && !never;
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
