// Outliving the call, or the host.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { until } from '../../toolwharf.js';
import type { Check, Language } from './attempt.js';
import { argvOf, commandOf, type Runner, unprivileged } from './run.js';

/** Processes with a word in their arguments or their environment. */
export function processesWith(word: string, where: 'cmdline' | 'environ' = 'cmdline'): number[] {
  return readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/${where}`, 'utf8').includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Starts a process that leaves its group and session, holds no stream, and outlives the script if it can. */
const leaves: Record<Language, (marker: string) => string> = {
  python: (marker) =>
    `import subprocess\nsubprocess.Popen(["/usr/bin/python3", "-c", "import time; time.sleep(60)", "${marker}"], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n`,
  node: (marker) =>
    `require("child_process").spawn("/usr/bin/python3", ["-c", "import time; time.sleep(60)", "${marker}"], { detached: true, stdio: "ignore" }).unref();\n`,
  shell: (marker) =>
    `setsid /usr/bin/python3 -c "import time; time.sleep(60)" ${marker} < /dev/null > /dev/null 2>&1 &\n`,
};
const stays: Record<Language, string> = {
  python: 'import time\ntime.sleep(60)',
  node: 'setTimeout(() => {}, 60000)',
  shell: 'sleep 60',
};

let made = 0;
/** A word in two parts in the scripts, so that only the process that is looked for has it whole. */
const marker = () => `left-${process.pid}-${++made}.`;
const whole = (word: string) => `0${word}`;

export function lifetimeChecks(runner: () => Runner, folder: () => string): Check[] {
  const languages: readonly Language[] = ['python', 'node', 'shell'];
  return [
    ...languages.map((language) => ({
      name: 'leave a process behind after a time-out',
      language,
      run: () => afterTimeout(runner(), language),
    })),
    ...languages.map((language) => ({
      name: 'leave a process behind after a normal end',
      language,
      run: () => afterEnd(runner(), language),
    })),
    ...(['python', 'shell'] as const).map((language) => ({
      name: 'outlive a host that was killed',
      language,
      run: () => afterHost(runner(), folder(), language),
    })),
  ];
}

/** Ends what a control left, by its number. */
function clear(word: string): void {
  for (const pid of processesWith(word)) process.kill(pid, 'SIGKILL');
}

async function survives(word: string): Promise<void> {
  await until(() => processesWith(word).length > 0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(processesWith(word), 'control').not.toEqual([]);
  clear(word);
}

function outside(runner: Runner, argv: readonly string[]): ChildProcess {
  return spawn(argv[0] as string, argv.slice(1), {
    ...unprivileged(runner.sandbox),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
    detached: true,
  });
}

async function afterTimeout(runner: Runner, language: Language): Promise<string> {
  const [first, second] = [marker(), marker()];
  const code = (word: string) => leaves[language](whole(word)) + stays[language];
  const plain = outside(runner, argvOf(language, code(first)));
  await until(() => alone(first).length > 0);
  process.kill(-(plain.pid as number), 'SIGKILL');
  await survives(`\0${whole(first)}`);

  const child = runner.sandbox.spawn(commandOf(language, code(second)));
  await until(() => alone(second).length > 0);
  child.kill();
  await child.exited;
  await until(() => processesWith(whole(second)).length === 0, 5000);
  return 'unconfined, its group ended';
}

/** The process that was left, and not the script that names it. */
function alone(word: string): number[] {
  return processesWith(`\0${whole(word)}\0`);
}

async function afterEnd(runner: Runner, language: Language): Promise<string> {
  const [first, second] = [marker(), marker()];
  const plain = outside(runner, argvOf(language, leaves[language](whole(first))));
  await new Promise((resolve) => plain.once('close', resolve));
  await survives(`\0${whole(first)}`);

  const child = runner.sandbox.spawn(commandOf(language, leaves[language](whole(second))));
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  expect(await child.exited).toMatchObject({ code: 0 });
  await until(() => processesWith(whole(second)).length === 0, 5000);
  return 'unconfined';
}

async function afterHost(runner: Runner, folder: string, language: Language): Promise<string> {
  const [first, second] = [marker(), marker()];
  const code = (word: string) => leaves[language](whole(word)) + stays[language];
  // A host that confines nothing, as the user that confined processes are.
  const careless = `import { spawn } from 'node:child_process';
    const [file, ...words] = JSON.parse(process.argv[1]);
    spawn(file, words, { stdio: 'ignore', detached: true });
    setInterval(() => {}, 1000);`;
  const plain = outside(runner, [
    '/usr/bin/node',
    '--input-type=module',
    '-e',
    careless,
    JSON.stringify(argvOf(language, code(first))),
  ]);
  await until(() => alone(first).length > 0);
  process.kill(plain.pid as number, 'SIGKILL');
  await survives(`\0${whole(first)}\0`);
  clear(whole(first));

  const host = spawn(
    process.execPath,
    [await hostProgram(folder), JSON.stringify(commandOf(language, code(second)))],
    {
      stdio: 'ignore',
    },
  );
  await until(() => alone(second).length > 0);
  host.kill('SIGKILL');
  await until(() => processesWith(whole(second)).filter((it) => it !== host.pid).length === 0, 5000);
  return 'a host that confines nothing';
}

let built: Promise<string> | undefined;

/** A program of its own that runs one confined process and shows what it says. */
export function hostProgram(folder: string): Promise<string> {
  built ??= (async () => {
    const target = join(folder, 'host.mjs');
    const sandbox = join(import.meta.dirname, '../../../src/sandbox/bubblewrap.ts');
    const script = `
      import { bubblewrap } from ${JSON.stringify(sandbox)};
      const child = bubblewrap().spawn(JSON.parse(process.argv[2]));
      child.stdin.end();
      child.stdout.pipe(process.stdout);
      child.stderr.pipe(process.stdout);`;
    await bundleModule(script, folder, target);
    return target;
  })();
  return built;
}
