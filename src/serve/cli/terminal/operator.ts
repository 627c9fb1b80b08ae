import { resolve } from 'node:path';
import type { Operator, RemoteHost } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import type { Arguments, Option } from '../command/command.js';
import type { Terminal } from './terminal.js';

/** For commands that perform operator operations. */
export const pinOption: Option = {
  name: 'pin-file',
  value: 'FILE',
  text: "file with the operator's PIN, for scripts (default: ask at the terminal)",
};

/** The person at this terminal, with the PIN if one is set. A PIN is never a command-line argument. */
export async function terminalOperator(
  host: Pick<RemoteHost, 'operator'>,
  args: Arguments,
  terminal: Terminal,
): Promise<Operator> {
  const me: Operator = { name: terminal.principal, channel: 'terminal' };
  if (!(await host.operator.pin()).set) return me;
  return { ...me, pin: await readPin(args, terminal, 'PIN (not shown): ') };
}

/** Whether a person can give the PIN to this command. */
export function canGivePin(args: Arguments, terminal: Terminal): boolean {
  return args.value('pin-file') !== undefined || (terminal.stdinIsTerminal && !args.has('no-input'));
}

export async function readPin(args: Arguments, terminal: Terminal, question: string): Promise<string> {
  const path = args.value('pin-file');
  if (path !== undefined) return pinFrom(resolve(terminal.cwd, path), terminal);
  if (terminal.stdinIsTerminal && !args.has('no-input')) return terminal.readSecret(question);
  throw new HostError('pin_required', "this needs the operator's PIN", {
    hint: 'run it at a terminal, or pass a file with the PIN: --pin-file FILE',
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
