import type { PinProtectedCounts } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visibleLine } from '../print/visible.js';
import { stateDirectory } from './command/arguments.js';
import type { Arguments } from './command/command.js';
import { auditLocations } from './config/audit-locations.js';
import { isDryRun, reportDryRun } from './dry-run.js';
import type { Terminal } from './terminal/terminal.js';

const phrase = 'delete everything';

/** For a forgotten PIN: deletes everything that it protects, then sets a new one. Needs a person at a terminal. */
export async function resetPin(
  args: Arguments,
  terminal: Terminal,
  newPin: () => Promise<string>,
): Promise<number> {
  const canAsk = terminal.stdinIsTerminal && !args.has('no-input') && !args.has('json');
  if (!canAsk && !isDryRun(args))
    throw new HostError('usage', 'a PIN can only be reset at a terminal', {
      hint: 'run "toolwharf pin reset" at a terminal; --yes and --pin-file do not replace it',
    });
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  if (!terminal.isFolder(state))
    throw new HostError('not_found', `no state directory at ${state}`, {
      hint: 'name the correct one with --state',
    });
  const reset = await terminal.openPinReset({ state, audit: await auditLocations(args, terminal) });
  try {
    if (!reset.isSet) throw new HostError('usage', 'no PIN is set', { hint: 'set one: toolwharf pin set' });
    const loss = lossOf(reset.protectedCounts);
    if (isDryRun(args)) return reportDryRun(`delete ${loss}, and set a new PIN`, args, terminal);
    terminal.err(
      `This cannot be undone. It deletes from ${visibleLine(state)}:\n  ${loss}\nPackages, disabled packages, the kill switch and the audit log stay.\n`,
    );
    const typed = await terminal.ask(`To continue, type "${phrase}": `);
    if (typed.trim() !== phrase)
      throw new HostError('usage', 'the text does not match', { hint: 'nothing was deleted' });
    await reset.reset(await newPin(), terminal.principal);
  } finally {
    await reset.close();
  }
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/pin@1', set: true })}\n`);
  else
    terminal.out(
      'a new PIN is set; set secrets, tokens and standing rules again, and accept your settings: toolwharf policy accept\n',
    );
  return 0;
}

function lossOf(counts: PinProtectedCounts): string {
  const { values, tokens, waivers, endorsements, rules, requests, arguments: storedArguments } = counts;
  const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;
  return [
    many(values, 'secret or setting', 'secrets and settings'),
    many(tokens, 'token'),
    many(waivers, 'accepted setting'),
    many(endorsements, 'endorsed value'),
    many(rules, 'standing rule'),
    many(requests, 'held call'),
    `the arguments of ${many(storedArguments, 'call')}`,
  ].join(', ');
}
