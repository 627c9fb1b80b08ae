import type { RemoteHost } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { inactiveNotes } from '../../print/waivers.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { resetPin } from '../pin-reset.js';
import { pinOption, readPin } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { settingsOnly } from '../waivers.js';
import { withHost } from '../with-host.js';

export const pin: Command = {
  name: 'pin',
  summary: "Set the operator's PIN. Approving calls, secrets, tokens and similar operations then need it.",
  usage: 'pin status | set | change | remove | reset',
  examples: [
    { line: 'toolwharf pin set', text: 'set it: asks twice, without showing it' },
    { line: 'toolwharf pin status', text: 'show whether a PIN is set, and failed attempts' },
    {
      line: 'toolwharf pin change --pin-file pin.txt < new-pin.txt',
      text: 'for a script: old PIN from a file, new PIN from standard input',
    },
    {
      line: 'toolwharf pin remove',
      text: 'operations work without it again; the audit log shows them as unverified',
    },
    {
      line: 'toolwharf pin reset',
      text: 'forgotten PIN: delete everything it protects, then set a new one',
    },
  ],
  options: [pinOption, dryRunOption],
  async run(args, terminal) {
    const [verb = 'status', ...more] = args.positionals;
    if (more.length > 0)
      throw new HostError('usage', 'a PIN is never an argument: others can see the command line', {
        hint: 'leave it out to be asked for it, or pass it on standard input; if it was real, change it',
      });
    switch (verb) {
      case 'status':
        return status(args, terminal);
      case 'set':
      case 'change':
        return set(verb, args, terminal);
      case 'remove':
        return remove(args, terminal);
      case 'reset':
        return resetPin(args, terminal, () => newPin('change', args, terminal));
      default:
        // The text could be a PIN in the wrong place, so it is not repeated.
        throw new HostError('usage', 'unknown subcommand of pin', {
          hint: 'use status, set, change, remove or reset',
        });
    }
  },
};

async function status(args: Arguments, terminal: Terminal): Promise<number> {
  const { set: isSet, failures, waitUntil } = await withHost(args, terminal, (host) => host.operator.pin());
  if (args.has('json')) {
    const wait = waitUntil === null ? {} : { waitUntil: time(waitUntil) };
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/pin@1', set: isSet, failures, ...wait })}\n`);
    return 0;
  }
  if (!isSet) {
    terminal.out('no PIN is set: any program of this user can approve calls\n  set one: toolwharf pin set\n');
    return 0;
  }
  terminal.out('a PIN is set\n');
  if (failures > 0) terminal.out(`failed attempts since the last success: ${failures}\n`);
  if (waitUntil !== null) terminal.out(`locked until ${time(waitUntil)} because of failed attempts\n`);
  return 0;
}

async function set(verb: 'set' | 'change', args: Arguments, terminal: Terminal): Promise<number> {
  const notes = await withHost(args, terminal, async (host) => {
    const isSet = (await host.operator.pin()).set;
    if (verb === 'set' && isSet)
      throw new HostError('usage', 'a PIN is already set', { hint: 'change it: toolwharf pin change' });
    if (verb === 'change' && !isSet)
      throw new HostError('usage', 'no PIN is set', { hint: 'set one: toolwharf pin set' });
    if (isDryRun(args)) return [];
    const me = { name: terminal.principal, channel: 'terminal' } as const;
    const by =
      verb === 'change' ? { ...me, pin: await readPin(args, terminal, 'current PIN (not shown): ') } : me;
    await host.operator.setPin(await newPin(verb, args, terminal), by);
    return verb === 'set' ? inactiveHere(host, args, terminal) : [];
  });
  if (isDryRun(args)) return reportDryRun(`${verb} the PIN`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/pin@1', set: true })}\n`);
  else if (!args.has('quiet'))
    terminal.out('the PIN is set; approving, secrets, tokens, enabling and reviewing now need it\n');
  if (!args.has('quiet')) for (const note of notes) terminal.err(`${visibleLine(note)}\n`);
  return 0;
}

/** What the first PIN put out of force in the settings here. An invalid configuration is reported by other commands. */
async function inactiveHere(host: RemoteHost, args: Arguments, terminal: Terminal): Promise<string[]> {
  try {
    const session = await host.session(await settingsOnly(args, terminal));
    return inactiveNotes(await session.waivers());
  } catch (error) {
    if (error instanceof HostError) return [];
    throw error;
  }
}

/** Typed twice at a terminal, else read from standard input. `pin set` also accepts --pin-file. */
async function newPin(verb: 'set' | 'change', args: Arguments, terminal: Terminal): Promise<string> {
  if (verb === 'set' && args.has('pin-file')) return readPin(args, terminal, '');
  if (!terminal.stdinIsTerminal) return (await terminal.readStdin()).replace(/\r?\n$/, '');
  if (args.has('no-input'))
    throw new HostError('usage', 'no new PIN was given, and --no-input does not allow asking for it', {
      hint: 'pass it on standard input',
    });
  const first = await terminal.readSecret('new PIN (not shown): ');
  if ((await terminal.readSecret('repeat it: ')) !== first)
    throw new HostError('usage', 'the two PINs differ', { hint: 'nothing was changed; try again' });
  return first;
}

async function remove(args: Arguments, terminal: Terminal): Promise<number> {
  await withHost(args, terminal, async (host) => {
    if (!(await host.operator.pin()).set)
      throw new HostError('usage', 'no PIN is set', { hint: 'see "toolwharf pin status"' });
    if (isDryRun(args)) return;
    const shown = await readPin(args, terminal, 'PIN (not shown): ');
    await host.operator.removePin({ name: terminal.principal, channel: 'terminal', pin: shown });
  });
  if (isDryRun(args)) return reportDryRun('remove the PIN', args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/pin@1', set: false })}\n`);
  else if (!args.has('quiet'))
    terminal.out('the PIN is removed; operations are logged as unverified again\n');
  return 0;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
