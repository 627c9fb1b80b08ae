import { spawn } from 'node:child_process';

const maxOutputBytes = 64 * 1024;
/** Long enough for a person to unlock a keychain. */
const timeoutMs = 60_000;

/**
 * Runs a system program for the host itself, without a sandbox and with the host's environment. It is not a tool, and it
 * never gets data that came from one.
 */
export function runSystemProgram(
  command: readonly string[],
  stdin: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const [program, ...args] = command;
    const child = spawn(program as string, args, {
      stdio: 'pipe',
      timeout: timeoutMs,
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
    // The program may exit without reading its input.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}
