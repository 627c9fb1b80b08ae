// Attempts to outlive the call or the host.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bundleModule } from '../../../../scripts/bundle.mjs';
import { until } from '../../../support/toolwharf.js';
import type { Check, Language } from './attempt.js';
import { argvOf, commandOf, type Runner, unprivileged } from './run.js';

/** Processes with a marker in their arguments or their environment. */
export function processesWith(text: string, where: 'cmdline' | 'environ' = 'cmdline'): number[] {
  return readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/${where}`, 'utf8').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Starts a process in a new group and session, without streams, that outlives the script if it can. */
const startsDetached: Record<Language, (marker: string) => string> = {
  python: (marker) =>
    `import subprocess\nsubprocess.Popen(["/usr/bin/python3", "-c", "import time; time.sleep(60)", "${marker}"], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n`,
  node: (marker) =>
    `require("child_process").spawn("/usr/bin/python3", ["-c", "import time; time.sleep(60)", "${marker}"], { detached: true, stdio: "ignore" }).unref();\n`,
  shell: (marker) =>
    `setsid /usr/bin/python3 -c "import time; time.sleep(60)" ${marker} < /dev/null > /dev/null 2>&1 &\n`,
};
const waits: Record<Language, string> = {
  python: 'import time\ntime.sleep(60)',
  node: 'setTimeout(() => {}, 60000)',
  shell: 'sleep 60',
};

let made = 0;
/** A unique marker; the started process has it as one argument, with the prefix 0. */
const marker = () => `left-${process.pid}-${++made}.`;
const fullMarker = (text: string) => `0${text}`;

export function lifetimeChecks(runner: () => Runner, folder: () => string): Check[] {
  const languages: readonly Language[] = ['python', 'node', 'shell'];
  return [
    ...languages.map((language) => ({
      name: 'leave a process behind after a timeout',
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

/** Kills the processes that a control left, by PID. */
function clear(text: string): void {
  for (const pid of processesWith(text)) process.kill(pid, 'SIGKILL');
}

async function survives(text: string): Promise<void> {
  await until(() => processesWith(text).length > 0);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(processesWith(text), 'control').not.toEqual([]);
  clear(text);
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
  const code = (text: string) => startsDetached[language](fullMarker(text)) + waits[language];
  const plain = outside(runner, argvOf(language, code(first)));
  await until(() => leftBehind(first).length > 0);
  process.kill(-(plain.pid as number), 'SIGKILL');
  await survives(`\0${fullMarker(first)}`);

  const child = runner.sandbox.spawn(commandOf(language, code(second)));
  await until(() => leftBehind(second).length > 0);
  child.kill();
  await child.exited;
  await until(() => processesWith(fullMarker(second)).length === 0, 5000);
  return 'unconfined, after its process group was killed';
}

/** The process that was left behind, without the script that started it. */
function leftBehind(text: string): number[] {
  return processesWith(`\0${fullMarker(text)}\0`);
}

async function afterEnd(runner: Runner, language: Language): Promise<string> {
  const [first, second] = [marker(), marker()];
  const plain = outside(runner, argvOf(language, startsDetached[language](fullMarker(first))));
  await new Promise((resolve) => plain.once('close', resolve));
  await survives(`\0${fullMarker(first)}`);

  const child = runner.sandbox.spawn(commandOf(language, startsDetached[language](fullMarker(second))));
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  expect(await child.exited).toMatchObject({ code: 0 });
  await until(() => processesWith(fullMarker(second)).length === 0, 5000);
  return 'unconfined';
}

async function afterHost(runner: Runner, folder: string, language: Language): Promise<string> {
  const [first, second] = [marker(), marker()];
  const code = (text: string) => startsDetached[language](fullMarker(text)) + waits[language];
  // A host without a sandbox, running as the user of sandboxed processes.
  const careless = `import { spawn } from 'node:child_process';
    const [file, ...args] = JSON.parse(process.argv[1]);
    spawn(file, args, { stdio: 'ignore', detached: true });
    setInterval(() => {}, 1000);`;
  const plain = outside(runner, [
    '/usr/bin/node',
    '--input-type=module',
    '-e',
    careless,
    JSON.stringify(argvOf(language, code(first))),
  ]);
  await until(() => leftBehind(first).length > 0);
  process.kill(plain.pid as number, 'SIGKILL');
  await survives(`\0${fullMarker(first)}\0`);
  clear(fullMarker(first));

  const host = spawn(
    process.execPath,
    [await hostProgram(folder), JSON.stringify(commandOf(language, code(second)))],
    {
      stdio: 'ignore',
    },
  );
  await until(() => leftBehind(second).length > 0);
  host.kill('SIGKILL');
  await until(() => processesWith(fullMarker(second)).filter((it) => it !== host.pid).length === 0, 5000);
  return 'a host without a sandbox';
}

let built: Promise<string> | undefined;

/** A separate program that runs one sandboxed process and prints its output. */
export function hostProgram(folder: string): Promise<string> {
  built ??= (async () => {
    const target = join(folder, 'host.mjs');
    const sandbox = join(import.meta.dirname, '../../../../src/sandbox/bubblewrap/bubblewrap.ts');
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
