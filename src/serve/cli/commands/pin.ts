import { HostError } from '../../../model/host-error.js';
import type { Arguments } from '../arguments.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { pinOption, readPin } from '../operator.js';
import { resetPin } from '../pin-reset.js';
import type { Terminal } from '../terminal.js';

export const pin: Command = {
  name: 'pin',
  summary: "Set the operator's PIN. From then on approving, secrets, tokens and the like need it.",
  usage: 'pin status | set | change | remove | reset',
  examples: [
    { line: 'toolwharf pin set', text: 'asks for it twice, without showing it' },
    { line: 'toolwharf pin status', text: 'whether one is set, and whether somebody guessed' },
    {
      line: 'toolwharf pin change --pin-file pin.txt < new-pin.txt',
      text: 'for a script: the old one from a file, the new one on standard input',
    },
    { line: 'toolwharf pin remove', text: 'acts work without it again, and are recorded as unverified' },
    {
      line: 'toolwharf pin reset',
      text: 'you forgot it: everything that it guards is forgotten too, and another one is set',
    },
  ],
  options: [pinOption, dryRunOption],
  async run(args, terminal) {
    const [verb = 'status', ...more] = args.positionals;
    if (more.length > 0)
      throw new HostError('usage', 'a PIN is never an argument: others can see the command line', {
        hint: 'leave it out to be asked for it, or give it on standard input; if it was real, change it',
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
        // It could be a PIN in the wrong place, so it is not said again.
        throw new HostError('usage', 'pin has no such verb', {
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
    terminal.out(
      'no PIN is set: every program of this user can approve calls\n  set one: toolwharf pin set\n',
    );
    return 0;
  }
  terminal.out('a PIN is set\n');
  if (failures > 0) terminal.out(`wrong ones since the last right one: ${failures}\n`);
  if (waitUntil !== null) terminal.out(`no PIN is looked at before ${time(waitUntil)}\n`);
  return 0;
}

async function set(verb: 'set' | 'change', args: Arguments, terminal: Terminal): Promise<number> {
  await withHost(args, terminal, async (host) => {
    const isSet = (await host.operator.pin()).set;
    if (verb === 'set' && isSet)
      throw new HostError('usage', 'a PIN is set already', { hint: 'change it: toolwharf pin change' });
    if (verb === 'change' && !isSet)
      throw new HostError('usage', 'no PIN is set', { hint: 'set one: toolwharf pin set' });
    if (isDryRun(args)) return;
    const me = { name: terminal.principal, channel: 'terminal' } as const;
    const by =
      verb === 'change' ? { ...me, pin: await readPin(args, terminal, 'PIN now (not shown): ') } : me;
    await host.operator.setPin(await newPin(verb, args, terminal), by);
  });
  if (isDryRun(args)) return tellDryRun(`${verb} the PIN`, args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/pin@1', set: true })}\n`);
  else if (!args.has('quiet'))
    terminal.out('the PIN is set; approving, secrets, tokens, enabling and reviewing need it now\n');
  return 0;
}

/** Typed twice, or as it comes on standard input; a first one may come from a file too. */
async function newPin(verb: 'set' | 'change', args: Arguments, terminal: Terminal): Promise<string> {
  if (verb === 'set' && args.has('pin-file')) return readPin(args, terminal, '');
  if (!terminal.stdinIsTerminal) return (await terminal.readStdin()).replace(/\r?\n$/, '');
  if (args.has('no-input'))
    throw new HostError('usage', 'there is no new PIN, and --no-input forbids to ask for it', {
      hint: 'give it on standard input',
    });
  const first = await terminal.readSecret('new PIN (not shown): ');
  if ((await terminal.readSecret('the same again: ')) !== first)
    throw new HostError('usage', 'the two were not the same', { hint: 'nothing was changed; try again' });
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
  if (isDryRun(args)) return tellDryRun('remove the PIN', args, terminal);
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/pin@1', set: false })}\n`);
  else if (!args.has('quiet')) terminal.out('the PIN is removed; acts are recorded as unverified again\n');
  return 0;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
