#!/usr/bin/env node
// The composition root: the only place that knows the real world and every part. Parts are loaded when a
// command needs them, because what is not loaded costs nothing.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Host } from './host/host.js';
import type { OpenHostOptions, StartHostOptions, Terminal } from './serve/cli/terminal.js';
import { version } from './version.js';

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  await main();
}

async function main(): Promise<void> {
  const { runCommandLine } = await import('./serve/cli/run.js');
  const interrupted = new AbortController();
  let signalExit: number | undefined;
  const onSignal = (exit: number) => () => {
    // The second time means it.
    if (signalExit !== undefined) process.exit(exit);
    signalExit = exit;
    interrupted.abort();
  };
  process.on('SIGINT', onSignal(130));
  process.on('SIGTERM', onSignal(143));
  process.on('SIGHUP', onSignal(129));
  // Whoever reads our output may stop reading; that is no failure, and what was begun is still brought to its end.
  let readerLeft = false;
  process.stdout.on('error', () => {
    readerLeft = true;
  });
  process.stderr.on('error', () => {});

  const principal = `${userName()}/cli`;
  const cwd = process.cwd();
  const terminal: Terminal = {
    version,
    cwd,
    environment: process.env,
    principal,
    main: process.argv[1] as string,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stdinIsTerminal: process.stdin.isTTY === true,
    columns: process.stdout.columns ?? (Number(process.env.COLUMNS) || 100),
    signal: interrupted.signal,
    stdin: process.stdin,
    stdout: process.stdout,
    out: (text) => {
      if (!readerLeft) process.stdout.write(text);
    },
    err: (text) => void process.stderr.write(text),
    readStdin: () => readStdin(interrupted.signal),
    confirm: (question) => confirm(question, interrupted.signal),
    readFile,
    writeFile,
    isFolder,
    resource: (path) => fileURLToPath(new URL(`../${path}`, import.meta.url)),
    openHost: (options) => openHost(options, { version, principal, cwd }, interrupted.signal),
    startHost,
  };
  const code = await runCommandLine(words, terminal);
  process.exitCode = signalExit !== undefined && code !== 0 ? signalExit : code;
  // A terminal that was read from would keep the process alive.
  process.stdin.unref?.();
}

/** Users without an entry in the system's list exist, in containers above all. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

async function readStdin(signal: AbortSignal): Promise<string> {
  const { HostError } = await import('./model/host-error.js');
  const chunks: Buffer[] = [];
  signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  if (signal.aborted) throw new HostError('cancelled', 'interrupted');
  return Buffer.concat(chunks).toString('utf8');
}

/** No answer, for whatever reason, is a no. */
async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<string>((resolve) => dialogue.once('close', () => resolve('')));
  dialogue.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = dialogue.question(`${question} [y/N] `, { signal }).catch(() => '');
    return /^y(es)?$/i.test((await Promise.race([answer, left])).trim());
  } finally {
    dialogue.close();
  }
}

/** Text of a regular file of moderate size; a pipe or a device would keep us waiting. */
function readFile(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    return statSync(path).isFile() && size <= 16 * 1024 * 1024 ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'wx' });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function startHost(options: StartHostOptions): Promise<Host> {
  const { createHost } = await import('./host/create.js');
  return createHost({
    ...options,
    onBug: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
}

/** The socket if somebody answers it, else a host of our own; if another command has the state, wait for it. */
async function openHost(
  options: OpenHostOptions,
  me: { version: string; principal: string; cwd: string },
  signal: AbortSignal,
): Promise<Host> {
  const { remoteHost } = await import('./serve/socket/remote-host.js');
  const { HostError } = await import('./model/host-error.js');
  // As long as the tool of another command may take.
  const deadline = performance.now() + 75_000;
  let told = false;
  for (;;) {
    const remote = await remoteHost({ state: options.state, ...me });
    if (remote !== undefined) return remote;
    try {
      return await startHost({ state: options.state });
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'state_locked' || performance.now() > deadline)
        throw error;
      if (!told) options.onWait(`${error.message}; waiting for it`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (signal.aborted) throw new HostError('cancelled', 'interrupted');
    }
  }
}
