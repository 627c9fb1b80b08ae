import { spawn } from 'node:child_process';

interface Arguments {
  command: string;
  cwd?: string;
  timeout?: number;
}

interface Outcome {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  truncated: boolean;
}

/** Of each stream; what comes after is counted as truncated, and the command goes on. */
const maxBytes = 1024 * 1024;

export function execute({ command, cwd, timeout = 30_000 }: Arguments): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // Its own process group, so that the time limit also ends what the command started.
    const child = spawn('/bin/sh', ['-c', command], {
      ...(cwd === undefined ? {} : { cwd }),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup(child.pid);
    }, timeout);
    child.once('error', (error: Error) => {
      clearTimeout(timer);
      const where = cwd === undefined ? '' : ` in ${cwd}`;
      reject(new Error(`the command could not be started${where}: ${error.message}`));
    });
    child.once('close', (exitCode: number | null, signal: string | null) => {
      clearTimeout(timer);
      resolve({
        exitCode,
        signal,
        timedOut,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.truncated() || stderr.truncated(),
      });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended on its own in the meantime.
  }
}

function collect(stream: NodeJS.ReadableStream): { text(): string; truncated(): boolean } {
  const chunks: Buffer[] = [];
  let kept = 0;
  let seen = 0;
  stream.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    const room = maxBytes - kept;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    chunks.push(part);
    kept += part.length;
  });
  return { text: () => Buffer.concat(chunks).toString('utf8'), truncated: () => seen > kept };
}
