import { setTimeout as sleep } from 'node:timers/promises';
import { HostError } from '../../model/host-error.js';
import { askForHandover, type HandoverAnswer } from './handover.js';

export interface TakeoverOptions {
  readonly state: string;
  readonly version: string;
  readonly signal: AbortSignal;
  /** Called with a sentence for the person who waits, once per reason. */
  readonly onWait: (message: string) => void;
  /** Called when a background host gave its place. */
  readonly onTakeover: (from: { readonly process: number; readonly clients: number }) => void;
  /** How long to wait for calls of the other host. Default: as long as most tools may run. */
  readonly timeoutMs?: number;
}

/**
 * Starts a host. If one runs in the background for this state directory, it is asked to end first; running calls are
 * waited for. Throws `state_locked` if the other host stays.
 */
export async function startByTakeover<T>(start: () => Promise<T>, options: TakeoverOptions): Promise<T> {
  const deadline = performance.now() + (options.timeoutMs ?? 75_000);
  const told = new Set<string>();
  let given: HandoverAnswer | undefined;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'state_locked') throw error;
      const answer = await askForHandover(options.state, { version: options.version, process: process.pid });
      if (answer?.toolwharf === 'kept') throw keptError(options.state, answer);
      if (answer?.toolwharf === 'handing-over') {
        given = answer;
        options.onTakeover(answer);
      }
      const reason =
        answer?.toolwharf === 'busy'
          ? `the background host (process ${answer.process}) cannot end yet: ${answer.reason}`
          : error.message;
      if (performance.now() > deadline) throw waitedError(options.state, reason, error);
      if (given === undefined && !told.has(reason)) options.onWait(`${reason}; waiting for it`);
      told.add(reason);
      await sleep(given === undefined ? 100 : 20);
      if (options.signal.aborted) throw new HostError('canceled', 'interrupted');
    }
  }
}

function keptError(state: string, { process, reason }: { process: number; reason: string }): HostError {
  return new HostError('state_locked', `process ${process} is the host of ${state}: ${reason}`, {
    hint: `connect to it, or end it first (kill ${process}), or use another state directory with --state`,
  });
}

function waitedError(state: string, reason: string, cause: HostError): HostError {
  return new HostError('state_locked', `${state} is still in use: ${reason}`, {
    cause,
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
  });
}
