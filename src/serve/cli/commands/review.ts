import { resolve } from 'node:path';
import type { Host, PackageState, Review, Session } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printReview } from '../../print/review.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { sessionOptions, sessionSettings } from '../config.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { operatorHere, pinOption } from '../operator.js';
import { isPackagePath } from '../package-word.js';
import { styleFor } from '../style-for.js';
import type { Terminal } from '../terminal.js';

export const review: Command = {
  name: 'review',
  summary: 'See what a held package may do and say now that it did not before, and agree to exactly that.',
  usage: 'review [PACKAGE|PATH] [--dir DIR]… [--accept DIGEST]',
  examples: [
    { line: 'toolwharf review', text: 'which packages wait' },
    { line: 'toolwharf review weather --dir tools', text: 'what changed; asks whether you agree' },
    { line: 'toolwharf review tools/weather', text: 'the same, by where it is; looking agrees to nothing' },
    { line: 'toolwharf review weather --accept 3f9c…', text: 'agree to what was shown, without a terminal' },
  ],
  options: [
    { name: 'dir', value: 'DIR', multiple: true, text: 'where packages are (this folder unless told)' },
    { name: 'accept', value: 'DIGEST', text: 'agree to the state with this digest and to no other' },
    pinOption,
    dryRunOption,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [word, ...more] = args.positionals;
    if (more.length > 0)
      throw new HostError('usage', 'review one package at a time', { hint: 'see "toolwharf review --help"' });
    if (word === undefined && args.has('accept'))
      throw new HostError('usage', '--accept needs the package it is for', {
        hint: 'toolwharf review PACKAGE --accept DIGEST',
      });
    const { defaultPaths, defaultNamed: _, ...settings } = await sessionSettings(args, terminal);
    const isPath = word !== undefined && isPackagePath(word, terminal);
    const named = [...args.values('dir'), ...(isPath ? [word] : [])].map((it) => resolve(terminal.cwd, it));
    return withHost(args, terminal, async (host) => {
      const session = await host.session({
        principal: terminal.principal,
        directories: named.length === 0 ? defaultPaths() : named,
        root: terminal.cwd,
        ...settings,
        // Naming a path agrees to what is there; whoever reviews it has not agreed yet.
        looking: true,
      });
      const id = isPath ? await onlyIn(word, session, args) : word;
      if (id === undefined) return listHeld(session, args, terminal);
      return reviewOne(id, word ?? id, { host, session }, args, terminal);
    });
  },
};

/** The package at a path; undefined when there are several, which are listed then. */
async function onlyIn(path: string, session: Session, args: Arguments): Promise<string | undefined> {
  const { packages } = await session.packages();
  const ids = packages.flatMap((it) => it.id ?? []);
  if (ids.length === 1 && packages.length === 1) return ids[0];
  if (packages.length === 1)
    throw new HostError('invalid_manifest', `${path} is not a sound package`, {
      hint: `see "toolwharf validate ${path}"`,
    });
  if (packages.length === 0)
    throw new HostError('not_found', `${path} holds no package`, {
      hint: 'name a manifest, or a folder with packages',
    });
  if (args.has('accept'))
    throw new HostError('usage', `${path} holds ${packages.length} packages; say which one you agree to`, {
      hint: `toolwharf review PACKAGE --dir ${path} --accept DIGEST`,
    });
  return undefined;
}

async function listHeld(session: Session, args: Arguments, terminal: Terminal): Promise<number> {
  const held = (await session.packages()).packages.filter((it) => it.state === 'needs-review');
  if (args.has('json')) {
    const packages = held.map(({ id, path, reasons }) => ({ id, path, reasons }));
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/held@1', packages })}\n`);
  } else if (held.length === 0) {
    terminal.out('no package waits for a review\n');
  } else {
    terminal.out(held.map((it) => describeHeld(it, args)).join(''));
  }
  return 0;
}

function describeHeld(it: PackageState, args: Arguments): string {
  const name = visibleLine(it.id ?? it.path);
  // Reasons end with the way to a review, which the last line says for the folders named here.
  const why = it.reasons.filter((reason) => !reason.startsWith('look at it, and agree or not:'));
  const reasons = why.map((reason) => `  ${visibleLine(reason)}\n`).join('');
  return `${name}\n${reasons}  see it: ${commandLine(['review', it.id ?? it.path], args)}\n`;
}

/** `word`: what the package was called on the command line, for lines to copy. */
async function reviewOne(
  id: string,
  word: string,
  { host, session }: { readonly host: Host; readonly session: Session },
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const shown = await session.review(id);
  const waits = shown.widened.length + shown.reworded.length > 0;
  const digest = args.value('accept');
  if (digest !== undefined && digest !== shown.to) throw otherDigest(shown, word, args);
  const asks = waits && digest === undefined && canAsk(args, terminal);
  if (!args.has('json') && !args.has('quiet'))
    terminal.out(printReview(shown, styleFor(args, terminal), terminal.columns));
  const accepted =
    waits && !isDryRun(args) && (digest !== undefined || (asks && (await terminal.confirm('Do you agree?'))));
  if (accepted) await session.accept(id, shown.to, await operatorHere(host, args, terminal));
  const status = accepted ? 'accepted' : waits ? 'needs-review' : 'nothing-waits';
  if (args.has('json') && !(isDryRun(args) && digest !== undefined)) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/review@1', ...shown, status })}\n`);
  } else if (accepted) {
    terminal.out(`${visibleLine(id)} may run again\n`);
  }
  if (status !== 'needs-review') return 0;
  if (isDryRun(args) && digest !== undefined)
    return tellDryRun(`agree to ${id} as it is now`, args, terminal);
  if (!args.has('json')) {
    const next = commandLine(['review', word], args, ['--accept', shown.to]);
    terminal.err(`held: ${visibleLine(id)} does not run until a person agrees\n  agree: ${next}\n`);
  }
  return errorTable.approval_required.exit;
}

function canAsk(args: Arguments, terminal: Terminal): boolean {
  // To agree is named, never taken for granted.
  const never = ['no-input', 'json', 'yes', 'dry-run'].some((it) => args.has(it));
  return terminal.stdinIsTerminal && !never;
}

function otherDigest(shown: Review, word: string, args: Arguments): HostError {
  return new HostError('integrity', `${shown.package} is not what --accept names: it is ${shown.to} now`, {
    hint: `see what it is now: ${commandLine(['review', word], args)}`,
  });
}

/** A line to copy that means the same packages and state. */
function commandLine(words: readonly string[], args: Arguments, more: readonly string[] = []): string {
  const same = ['dir', 'config', 'state', 'cwd'].flatMap((name) =>
    args.values(name).flatMap((value) => [`--${name}`, value]),
  );
  return visibleLine(['toolwharf', ...words, ...same, ...more].map(quoted).join(' '));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
