import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../bundle/make-folder.js';
import { HostError } from '../../model/host-error.js';
import { dial } from './connect.js';

export interface LaunchOptions {
  readonly state: string;
  /** The script that this process runs. */
  readonly main: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** A command that has the state for itself may take as long as its tool. */
const patienceMs = 75_000;
const maxLogBytes = 1024 * 1024;

/** What the host needs of the world; everything else in a client's environment stays with the client. */
const kept = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TMPDIR',
  'XDG_STATE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
];

/** Connects to the host of a state directory, starting one in the background when there is none. */
export async function dialOrLaunch(options: LaunchOptions): Promise<Socket> {
  const running = await dial(options.state);
  if (running !== undefined) return running;
  makeStateFolder(options.state);
  const log = join(options.state, 'host.log');
  let child = startHost(options, log);
  const deadline = performance.now() + patienceMs;
  // A host takes about a tenth of a second; looking whether its socket is there takes a hundredth of a millisecond.
  for (
    let pause = 2;
    performance.now() < deadline && !options.signal.aborted;
    pause = Math.min(pause * 1.01, 100)
  ) {
    const socket = await dial(options.state);
    if (socket !== undefined) return socket;
    const exit = child.exitCode();
    // Another caller's host may have been faster, or a command had the state for itself: then try again.
    if (exit === lockedExit) child = startHost(options, log);
    else if (exit !== undefined) break;
    await sleep(pause);
  }
  if (options.signal.aborted) throw new HostError('canceled', 'interrupted');
  throw new HostError('host_unreachable', `no host could be started for ${options.state}${lastWords(log)}`, {
    hint: `its log is ${log}`,
  });
}

function makeStateFolder(state: string): void {
  try {
    makeFolder(state, 0o700);
  } catch (error) {
    throw new HostError('state_unusable', `the state directory ${state} cannot be made`, {
      cause: error,
      hint: 'name another one with --state',
    });
  }
}

/** Exit code of a host that found the state directory taken. */
export const lockedExit = 75;

function startHost(options: LaunchOptions, log: string): { exitCode(): number | undefined } {
  trim(log);
  const output = openSync(log, 'a', 0o600);
  const names = [...kept, ...Object.keys(options.environment).filter((it) => it.startsWith('TOOLWHARF_'))];
  const environment = Object.fromEntries(
    names.flatMap((it) => (options.environment[it] === undefined ? [] : [[it, options.environment[it]]])),
  );
  const child = spawn(process.execPath, [options.main, 'host', '--state', options.state], {
    detached: true,
    stdio: ['ignore', output, output],
    env: environment,
    cwd: options.state,
  });
  closeSync(output);
  let code: number | undefined;
  child.once('exit', (it) => {
    code = it ?? 1;
  });
  child.once('error', () => {
    code = 1;
  });
  child.unref();
  return { exitCode: () => code };
}

function trim(log: string): void {
  try {
    if (statSync(log).size > maxLogBytes) truncateSync(log);
  } catch {
    // There is no log yet.
  }
}

function lastWords(log: string): string {
  try {
    const line = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1);
    return line ? `: ${line}` : '';
  } catch {
    return '';
  }
}
