import type { PinGuarded } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visibleLine } from '../print/visible.js';
import { type Arguments, stateDirectory } from './arguments.js';
import { auditPlaces } from './audit-places.js';
import { isDryRun, tellDryRun } from './dry-run.js';
import type { Terminal } from './terminal.js';

const phrase = 'forget everything';

/** For a forgotten PIN: everything that it guards goes, then another one is set. Never without a person at a terminal. */
export async function resetPin(
  args: Arguments,
  terminal: Terminal,
  newPin: () => Promise<string>,
): Promise<number> {
  const asked = terminal.stdinIsTerminal && !args.has('no-input') && !args.has('json');
  if (!asked && !isDryRun(args))
    throw new HostError('usage', 'a PIN is reset at a terminal only', {
      hint: `run "toolwharf pin reset" at one; --yes and --pin-file do not help`,
    });
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  if (!terminal.isFolder(state))
    throw new HostError('not_found', `there is no state directory ${state}`, {
      hint: 'name the right one with --state',
    });
  const reset = await terminal.openPinReset({ state, audit: await auditPlaces(args, terminal) });
  try {
    if (!reset.isSet) throw new HostError('usage', 'no PIN is set', { hint: 'set one: toolwharf pin set' });
    const lost = lossOf(reset.guarded);
    if (isDryRun(args)) return tellDryRun(`forget ${lost}, and set another PIN`, args, terminal);
    terminal.err(
      `This cannot be undone. In ${visibleLine(state)} it forgets\n  ${lost}\nPackages, what is switched off or stopped, and the record stay.\n`,
    );
    const typed = await terminal.ask(`To go on, type "${phrase}": `);
    if (typed.trim() !== phrase)
      throw new HostError('usage', 'these were not the words', { hint: 'nothing was forgotten' });
    await reset.carryOut(await newPin(), terminal.principal);
  } finally {
    await reset.close();
  }
  terminal.out('another PIN is set; set values, tokens and rules again\n');
  return 0;
}

function lossOf({ values, tokens, rules, requests, arguments: kept }: PinGuarded): string {
  const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;
  return [
    many(values, 'value of a package', 'values of packages'),
    many(tokens, 'token'),
    many(rules, 'standing rule'),
    many(requests, 'held call'),
    `the arguments of ${many(kept, 'call')}`,
  ].join(', ');
}
