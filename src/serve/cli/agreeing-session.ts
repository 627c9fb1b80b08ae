import { resolve } from 'node:path';
import type { FirstAcceptance, Operator, RemoteHost, ServedSessionOptions } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments } from './command/command.js';
import { sessionSettings } from './config/config.js';
import { canGivePin, terminalOperator } from './terminal/operator.js';
import type { Terminal } from './terminal/terminal.js';

/** A host that opens sessions of type `S`. */
export interface SessionHost<S> extends Pick<RemoteHost, 'operator'> {
  session(options: ServedSessionOptions): Promise<S>;
}

/**
 * Opens the session of a command by which a person agrees to the packages at `typed`, the paths on the command line.
 * Once a PIN is set it asks for the PIN, but only if something is new there. Without it, new packages need review.
 */
export async function openAgreeingSession<S>(
  host: SessionHost<S>,
  options: ServedSessionOptions,
  typed: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<S> {
  const paths = await acceptedPaths(typed, args, terminal);
  if (paths.length === 0) return host.session({ ...options, accept: null });
  const openAs = (by: Operator) => {
    const accept: FirstAcceptance = { in: paths, by };
    return host.session({ ...options, accept });
  };
  try {
    return await openAs({ name: terminal.principal, channel: 'terminal' });
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'pin_required') throw error;
    if (canGivePin(args, terminal)) {
      if (!args.has('quiet')) terminal.err(`${visibleLine(error.message)}\n`);
      return openAs(await terminalOperator(host, args, terminal));
    }
    terminal.err(`not accepted: ${visibleLine(error.message)}\n  ${visibleLine(error.hint ?? '')}\n`);
    return host.session({ ...options, accept: null });
  }
}

/**
 * Where new packages are accepted: at the paths that a person typed. The folder of a command without a path counts only
 * at a terminal, because a script or a client can start such a command in any folder.
 */
async function acceptedPaths(
  typed: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (typed.length > 0) return typed.map((it) => resolve(terminal.cwd, it));
  return terminal.stdinIsTerminal ? (await sessionSettings(args, terminal)).defaultAcceptNewIn() : [];
}
