// Attacks on the host through a tool's output, or by not reading its input. Each uses the whole call
// pipeline.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Answer, createHost } from '../../../../src/index.js';
import { patchTool, temporaryFolder, until } from '../../../support/toolwharf.js';
import type { Check } from './attempt.js';
import { processesWith } from './lifetimes.js';
import { argvOf, type Runner, unprivileged } from './run.js';

const megabyte = 1024 * 1024;

const endlessLines = 'import sys\nwhile True:\n    sys.stdout.write("x" * 65535 + "\\n")';
const endlessLine = 'import sys\nwhile True:\n    sys.stdout.write("x" * 65536)';
const manyErrors = 'import sys\nfor _ in range(320):\n    sys.stderr.write("x" * 65535 + "\\n")';

export function answerChecks(runner: () => Runner): Check[] {
  return [
    {
      name: 'write output without end',
      language: 'python',
      run: async () => {
        expect(await bytesWritten(runner(), endlessLines, 12 * megabyte), 'control').toBeGreaterThan(
          12 * megabyte,
        );
        expect(await call(endlessLines)).toMatchObject({ error: { code: 'output_too_large' } });
        return 'unconfined';
      },
    },
    {
      name: 'write one line without end',
      language: 'python',
      run: async () => {
        expect(await bytesWritten(runner(), endlessLine, 12 * megabyte), 'control').toBeGreaterThan(
          12 * megabyte,
        );
        expect(await call(endlessLine)).toMatchObject({ error: { code: 'output_too_large' } });
        return 'unconfined';
      },
    },
    {
      name: 'write errors without limit',
      language: 'python',
      run: async () => {
        expect(await bytesWritten(runner(), manyErrors, 16 * megabyte), 'control').toBeGreaterThan(
          16 * megabyte,
        );
        const answer = await call(`${manyErrors}\nreturn {}`);
        expect(answer.status).toBe('ok');
        expect('log' in answer && answer.log?.length).toBeLessThan(megabyte);
        return 'unconfined';
      },
    },
    {
      name: 'block the host by not reading its input',
      language: 'python',
      run: async () => {
        expect(await isStuck(runner()), 'control').toBe(true);
        const notReading = tool('return {}').replace(
          'args = json.loads(sys.stdin.read())',
          'args = {"text": ""}',
        );
        expect(await callFile(notReading, 'x'.repeat(900_000))).toMatchObject({ status: 'ok', result: {} });
        return 'unconfined, its input pipe stays full';
      },
    },
    {
      name: 'leave a process behind after a call that timed out',
      language: 'python',
      run: async () => {
        const word = `0call-${process.pid}`;
        const code = (marker: string) =>
          `import subprocess, time\nsubprocess.Popen(["/usr/bin/python3", "-c", "import time; time.sleep(60)", "${marker}"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\ntime.sleep(60)`;
        const plain = outside(runner(), code(`${word}-plain`));
        await until(() => processesWith(`\0${word}-plain\0`).length > 0);
        process.kill(-(plain.pid as number), 'SIGKILL');
        const left = processesWith(`\0${word}-plain\0`);
        expect(left, 'control').not.toEqual([]);
        for (const pid of left) process.kill(pid, 'SIGKILL');
        let seen = false;
        const timer = setInterval(() => {
          seen ||= processesWith(`\0${word}-sandboxed\0`).length > 0;
        }, 20);
        expect(await call(code(`${word}-sandboxed`), 1500)).toMatchObject({ status: 'timeout' });
        clearInterval(timer);
        expect(seen).toBe(true);
        await until(() => processesWith(`\0${word}-sandboxed\0`).length === 0, 5000);
        return 'unconfined, after its process group was killed';
      },
    },
    {
      name: 'confuse the host with invalid UTF-8',
      language: 'python',
      run: async () => {
        const answer = await call('import os, sys\nos.write(1, b\'{"a": "\\xff\\xfe"}\\n\')\nos._exit(0)');
        expect(answer).toMatchObject({ status: 'error', error: { code: 'tool_bad_output' } });
        return { reason: 'a check of parsing, with no target to reach' };
      },
    },
    {
      name: 'crash the host with deep nesting',
      language: 'python',
      run: async () => {
        const answer = await call(
          'import os\nos.write(1, b"[" * 200000 + b"]" * 200000 + b"\\n")\nos._exit(0)',
        );
        expect(answer).toMatchObject({ status: 'error', error: { code: 'tool_bad_output' } });
        return { reason: 'a check of parsing, with no target to reach' };
      },
    },
  ];
}

function tool(code: string): string {
  const body = code.split('\n').map((it) => `    ${it}`);
  return patchTool({ name: 'hostile', body: body.join('\n') });
}

function call(code: string, timeoutMs?: number): Promise<Answer> {
  return callFile(tool(code), '', timeoutMs);
}

async function callFile(source: string, text: string, timeoutMs = 20_000): Promise<Answer> {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, 'hostile.py'), source);
  const host = await createHost({ state: join(folder.path, 'state') });
  try {
    const session = await host.session({ directories: [folder.path], root: folder.path });
    const answer = await session.call({ tool: 'hostile', arguments: { text }, timeoutMs });
    // The host still works: it answers the next call.
    expect(await session.call({ tool: 'hostile', arguments: {} })).toMatchObject({
      error: { code: 'invalid_input' },
    });
    return answer;
  } finally {
    await host.close();
    folder.remove();
  }
}

function outside(runner: Runner, code: string) {
  const [file, ...args] = argvOf('python', code);
  return spawn(file as string, args, {
    ...unprivileged(runner.sandbox),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'pipe',
    detached: true,
  });
}

/** How many bytes an unconfined process writes, up to a little more than `wanted`. */
function bytesWritten(runner: Runner, code: string, wanted: number): Promise<number> {
  const child = outside(runner, code);
  let count = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      count += chunk.length;
      if (count > wanted) child.kill('SIGKILL');
    });
  }
  return new Promise((resolve) => child.once('close', () => resolve(count)));
}

/** Whether writing to a process that does not read blocks. */
async function isStuck(runner: Runner): Promise<boolean> {
  const child = outside(runner, 'import time\ntime.sleep(30)');
  let written = false;
  child.stdin.on('error', () => {});
  child.stdin.write('x'.repeat(900_000), () => {
    written = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const stuck = !written;
  child.kill('SIGKILL');
  return stuck;
}
