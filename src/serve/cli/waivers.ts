// The subcommands of `policy` about settings that waive a question or a protection.
import type { RemoteHost, RemoteSession, SessionWaiver } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visibleLine } from '../print/visible.js';
import {
  inactiveNotes,
  printAcceptedWaivers,
  printSessionWaivers,
  unusedGrantWarnings,
} from '../print/waivers.js';
import type { Arguments } from './command/command.js';
import { type CommandSessionOptions, sessionFor } from './config/session-options.js';
import { isDryRun, reportDryRun } from './dry-run.js';
import { terminalOperator } from './terminal/operator.js';
import type { Terminal } from './terminal/terminal.js';
import { terminalStyle } from './terminal/terminal-style.js';
import { withHost } from './with-host.js';

/** Tells the person which settings have no effect, and what to do. On standard error, because results go to the other. */
export async function warnAboutInactive(
  session: RemoteSession,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  if (args.has('quiet')) return;
  const waivers = await session.waivers();
  const unused = unusedGrantWarnings(waivers, args.values('allow')).map((it) => `warning: ${it}`);
  for (const note of [...unused, ...inactiveNotes(waivers)]) terminal.err(`${visibleLine(note)}\n`);
}

/** Grants of the command line without effect, for the JSON document of a command; absent if there are none. */
export function unusedGrantsMember(
  waivers: readonly SessionWaiver[],
  args: Arguments,
): { readonly unusedGrants?: readonly string[] } {
  const unused = unusedGrantWarnings(waivers, args.values('allow'));
  return unused.length === 0 ? {} : { unusedGrants: unused };
}

/** `policy list`: what is in force in the current settings, and everything that was accepted. */
export async function listWaivers(args: Arguments, terminal: Terminal): Promise<number> {
  const options = await settingsOnly(args, terminal);
  const { waivers, accepted } = await withHost(args, terminal, async (host) => ({
    waivers: await (await host.session(options)).waivers(),
    accepted: await host.waivers.list(),
  }));
  if (args.has('json')) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/waivers@1', waivers, accepted })}\n`);
    return 0;
  }
  if (waivers.length === 0) terminal.out('no setting here waives a question or a protection\n');
  else terminal.out(printSessionWaivers(waivers, terminalStyle(args, terminal)));
  const elsewhere = accepted.filter((it) => !waivers.some((own) => own.id === it.id));
  if (elsewhere.length > 0)
    terminal.out(`\naccepted, but not in these settings:\n${printAcceptedWaivers(elsewhere)}`);
  const hint = inactiveNotes(waivers).at(-1);
  if (hint !== undefined && !args.has('quiet')) terminal.err(`${hint}\n`);
  return 0;
}

/** `policy accept`: shows the settings without effect, asks, and accepts exactly what was shown. */
export async function acceptWaivers(
  ids: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const options = await settingsOnly(args, terminal);
  return withHost(args, terminal, async (host) => {
    const session = await host.session(options);
    const waivers = await session.waivers();
    const chosen = ids.length === 0 ? waivers.filter((it) => !it.active) : named(ids, waivers);
    if (chosen.length === 0) return nothingToAccept(host, waivers, args, terminal);
    if (!args.has('json')) terminal.err(printSessionWaivers(chosen, terminalStyle(args, terminal)));
    const many = chosen.length === 1 ? 'this setting' : `these ${chosen.length} settings`;
    if (isDryRun(args))
      return reportDryRun(`accept ${chosen.map((it) => it.text).join('; ')}`, args, terminal);
    if (!args.has('yes')) {
      if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
        throw new HostError('usage', `accepting ${many} needs an answer`, {
          hint: 'run it at a terminal, or add --yes and --pin-file FILE',
        });
      const agreed = await terminal.confirm(`Accept ${many}?`);
      if (terminal.signal.aborted) throw new HostError('canceled', 'interrupted');
      if (!agreed) {
        terminal.out('nothing was accepted\n');
        return 5;
      }
    }
    const operator = await terminalOperator(host, args, terminal);
    const accepted: SessionWaiver[] = [];
    for (const { id } of chosen) accepted.push(await session.acceptWaiver(id, operator));
    if (args.has('json'))
      terminal.out(`${JSON.stringify({ schema: 'toolwharf/waivers@1', waivers: accepted })}\n`);
    else terminal.out(`accepted ${many}; in force now, in every session with the same content\n`);
    return 0;
  });
}

/** `policy revoke ID`. */
export async function revokeWaiver(
  written: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (written === undefined)
    throw new HostError('usage', 'name the id of an accepted setting', {
      hint: 'see "toolwharf policy list"',
    });
  const text = await withHost(args, terminal, async (host) => {
    const [found] = named([written], await host.waivers.list());
    if (found !== undefined && !isDryRun(args))
      await host.waivers.revoke(found.id, { name: terminal.principal, channel: 'terminal' });
    return found?.text ?? '';
  });
  if (isDryRun(args)) return reportDryRun(`revoke: ${text}`, args, terminal);
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/waivers@1', revoked: written })}\n`);
  else terminal.out(`no longer accepted: ${visibleLine(text)}\n`);
  return 0;
}

/** Session options to look at the settings, without loading any package. */
export async function settingsOnly(args: Arguments, terminal: Terminal): Promise<CommandSessionOptions> {
  const options = await sessionFor(args, terminal, [], args.value('root'));
  const { unsafeNoSandbox: _, ...policy } = options.policy;
  return { ...options, policy, directories: [], intent: 'review', accept: null };
}

async function nothingToAccept(
  host: RemoteHost,
  waivers: readonly SessionWaiver[],
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (args.has('json')) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/waivers@1', waivers: [] })}\n`);
    return 0;
  }
  if (waivers.length === 0)
    terminal.out('nothing to accept: no setting here waives a question or a protection\n');
  else if ((await host.operator.pin()).set) terminal.out('nothing to accept: all settings are accepted\n');
  else
    terminal.out(
      'nothing to accept: no PIN is set, so all settings are in force\n  set one: toolwharf pin set\n',
    );
  return 0;
}

/** The entries whose ids start with what was written; each must match exactly one. */
function named<T extends { readonly id: string }>(written: readonly string[], known: readonly T[]): T[] {
  return written.map((it) => {
    const start = it.replace(/…$/, '').toLowerCase();
    const matches = /^[0-9a-f]{6,64}$/.test(start) ? known.filter(({ id }) => id.startsWith(start)) : [];
    const [only, ...more] = matches;
    if (only !== undefined && more.length === 0) return only;
    throw new HostError(
      'not_found',
      more.length > 0
        ? `${matches.length} settings have an id that starts with ${start}`
        : `no setting has the id ${JSON.stringify(it.slice(0, 80))}`,
      { hint: '"toolwharf policy list" shows the ids' },
    );
  });
}
