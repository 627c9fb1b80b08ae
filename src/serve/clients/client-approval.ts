import { HostError } from '../../model/host-error.js';
import type { Arguments } from '../cli/command/command.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import type { Client } from './client.js';

/** Whether a person may approve held calls at a client, as the options say. Undefined if neither option is given. */
export function mayApproveOption(args: Arguments): boolean | undefined {
  if (args.has('may-approve') && args.has('no-may-approve'))
    throw new HostError('usage', '--may-approve and --no-may-approve exclude each other', {
      hint: 'use one of them',
    });
  if (args.has('may-approve')) return true;
  return args.has('no-may-approve') ? false : undefined;
}

/** Asks only a person at the terminal. Otherwise the answer is no. */
export async function askMayApprove(
  { title }: Client,
  args: Arguments,
  terminal: Terminal,
): Promise<boolean> {
  if (!terminal.stdinIsTerminal || ['yes', 'no-input', 'json', 'dry-run'].some((it) => args.has(it)))
    return false;
  terminal.err(
    `Some calls are held until a person approves them: with "toolwharf approvals", or in ${title}.\n` +
      `An approval in ${title} needs no PIN, and an agent that can control ${title} could give it.\n`,
  );
  return terminal.confirm(`May a person approve held calls in ${title}?`);
}
