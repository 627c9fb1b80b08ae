import { resolve } from 'node:path';
import type { Host, Operator } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { Arguments } from './arguments.js';
import type { Option } from './command.js';
import type { Terminal } from './terminal.js';

/** For commands that do what only the operator may. */
export const pinOption: Option = {
  name: 'pin-file',
  value: 'FILE',
  text: "file with the operator's PIN, for a script; at a terminal you are asked for it",
};

/** Whoever sits here, with the PIN where one is set. A PIN is never a word of the command line. */
export async function operatorHere(host: Host, args: Arguments, terminal: Terminal): Promise<Operator> {
  const me: Operator = { name: terminal.principal, channel: 'terminal' };
  if (!(await host.operator.pin()).set) return me;
  return { ...me, pin: await readPin(args, terminal, 'PIN (not shown): ') };
}

export async function readPin(args: Arguments, terminal: Terminal, question: string): Promise<string> {
  const path = args.value('pin-file');
  if (path !== undefined) return pinFrom(resolve(terminal.cwd, path), terminal);
  if (terminal.stdinIsTerminal && !args.has('no-input')) return terminal.readSecret(question);
  throw new HostError('pin_required', "this needs the operator's PIN", {
    hint: 'run it at a terminal, or name a file that has the PIN: --pin-file FILE',
  });
}

function pinFrom(path: string, terminal: Terminal): string {
  const text = terminal.readFile(path);
  if (text === undefined)
    throw new HostError('usage', `the PIN cannot be read from ${path}`, {
      hint: 'check the path after --pin-file',
    });
  return text.replace(/\r?\n$/, '');
}
