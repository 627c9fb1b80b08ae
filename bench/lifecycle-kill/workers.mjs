// Several runs at once, each in a process and on a state of its own.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../lifecycle-kill.mjs', import.meta.url));

/** Runs them with consecutive seeds, and prints their lines and the sums of their last two. Returns the exit code. */
export async function runWorkers({ workers, count, seed, plain, wheels }) {
  const share = Math.ceil(count / workers);
  const runs = Array.from({ length: workers }, async (_, index) => {
    const args = [script, '--count', String(share), '--seed', String(seed + index)];
    if (plain) args.push('--plain');
    if (wheels) args.push('--wheels');
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const ends = [];
    for await (const line of createInterface({ input: child.stdout })) {
      console.log(`${index + 1}: ${line}`);
      if (/^\d+ problems; |^kills by operation/.test(line)) ends.push(line);
    }
    return { code: await exited, ends };
  });
  const done = await Promise.all(runs);
  const numbers = (pattern) =>
    done.reduce((sum, { ends }) => sum + Number(pattern.exec(ends.join(' '))?.[1] ?? 0), 0);
  const kinds = ['install', 'update', 'rollback', 'remove', 'revoke'];
  const byKind = kinds.map((it) => `${it} ${numbers(new RegExp(`"${it}":(\\d+)`))}`).join(', ');
  console.log(`${numbers(/(\d+) problems/)} problems; ${numbers(/(\d+) kills:/)} kills: ${byKind}`);
  return done.every((it) => it.code === 0) ? 0 : 1;
}
