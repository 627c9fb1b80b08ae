import { spawn } from 'node:child_process';

const maxOutputBytes = 64 * 1024;
/** Long enough for a person to unlock a keychain. */
const patienceMs = 60_000;

/**
 * Runs a program of the system for the host itself, with the host's own environment: it is not a tool, and is never given
 * anything that came from one.
 */
export function runProgram(
  command: readonly string[],
  stdin: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const [program, ...words] = command;
    const child = spawn(program as string, words, {
      stdio: 'pipe',
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (chunk: string) => {
        if (texts[name].length < maxOutputBytes) texts[name] += chunk;
      });
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT';
      resolve({ code: null, stdout: '', stderr: missing ? `${program} is not installed` : error.message });
    });
    child.once('close', (code) => resolve({ code, ...texts }));
    // It may end without reading.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}
