import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../files/make-folder.js';
import { HostError } from '../../model/host-error.js';
import { connectToHost } from './connect.js';

export interface StartHostOptions {
  readonly state: string;
  /** The script that this process runs. */
  readonly main: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** A command that holds the state lock may run as long as its tool. */
const startTimeoutMs = 75_000;
const maxLogBytes = 1024 * 1024;

/** The environment variables that the host inherits from a client. */
const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TMPDIR',
  'XDG_STATE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
];

/** Connects to the host of a state directory, or starts one in the background. */
export async function connectOrStartHost(options: StartHostOptions): Promise<Socket> {
  const running = await connectToHost(options.state);
  if (running !== undefined) return running;
  makeStateFolder(options.state);
  const log = join(options.state, 'host.log');
  let child = startHost(options, log);
  const deadline = performance.now() + startTimeoutMs;
  // Starting takes about 100 ms; checking for the socket takes 0.01 ms.
  for (
    let pause = 2;
    performance.now() < deadline && !options.signal.aborted;
    pause = Math.min(pause * 1.01, 100)
  ) {
    const socket = await connectToHost(options.state);
    if (socket !== undefined) return socket;
    const exit = child.exitCode();
    // Another client's host started first, or a command holds the state lock: try again.
    if (exit === lockedExit) child = startHost(options, log);
    else if (exit !== undefined) break;
    await sleep(pause);
  }
  if (options.signal.aborted) throw new HostError('canceled', 'interrupted');
  throw new HostError(
    'host_unreachable',
    `the host could not be started for ${options.state}${lastLine(log)}`,
    {
      hint: `see its log: ${log}`,
    },
  );
}

/**
 * Connects to the host that takes over from the one that this process used. While its process runs, none is started: it
 * may be asking a person something. `process`: null if no process takes over.
 */
export async function connectToNextHost(options: StartHostOptions, process: number | null): Promise<Socket> {
  while (process !== null && isRunning(process) && !options.signal.aborted) {
    const socket = await connectToHost(options.state);
    if (socket !== undefined) return socket;
    await sleep(20);
  }
  return connectOrStartHost(options);
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

function makeStateFolder(state: string): void {
  try {
    makeFolder(state, 0o700);
  } catch (error) {
    throw new HostError('state_unusable', `the state directory ${state} cannot be created`, {
      cause: error,
      hint: 'use another one with --state',
    });
  }
}

/** Exit code of a host that finds the state directory locked. */
export const lockedExit = 75;

function startHost(options: StartHostOptions, log: string): { exitCode(): number | undefined } {
  truncateLog(log);
  const output = openSync(log, 'a', 0o600);
  const names = [
    ...inherited,
    ...Object.keys(options.environment).filter((it) => it.startsWith('TOOLWHARF_')),
  ];
  const environment = Object.fromEntries(
    names.flatMap((it) => (options.environment[it] === undefined ? [] : [[it, options.environment[it]]])),
  );
  const child = spawn(process.execPath, [options.main, 'host', '--hand-over', '--state', options.state], {
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

function truncateLog(log: string): void {
  try {
    if (statSync(log).size > maxLogBytes) truncateSync(log);
  } catch {
    // The log does not exist yet.
  }
}

function lastLine(log: string): string {
  try {
    const line = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1);
    return line ? `: ${line}` : '';
  } catch {
    return '';
  }
}
