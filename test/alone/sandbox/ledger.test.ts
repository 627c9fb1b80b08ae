// Killed hosts, with real processes. Leftover processes are killed; processes of others are not.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { openPidFile } from '../../../src/sandbox/process/pid-file.js';
import { processIdentity } from '../../../src/sandbox/process/process-identity.js';
import { processTree } from '../../../src/sandbox/process/process-tree.js';

const sources = join(import.meta.dirname, '../../../src/sandbox');
const { user, spawnAs } = processIdentity();
const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
let folder: string;
let hostScript: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-pid-file-'));
  chmodSync(folder, 0o755);
  hostScript = join(folder, 'host.mjs');
  const contents = `
    import { bubblewrap } from ${JSON.stringify(join(sources, 'bubblewrap', 'bubblewrap.ts'))};
    import { noSandbox } from ${JSON.stringify(join(sources, 'no-sandbox.ts'))};
    import { defaultSandboxLimits } from ${JSON.stringify(join(sources, 'sandbox.ts'))};
    const pidFolder = process.argv[3];
    const sandbox = process.argv[2] === 'bubblewrap' ? bubblewrap({ pidFolder }) : noSandbox({ pidFolder });
    const child = sandbox.spawn({
      argv: ['/bin/sh', '-c', 'sleep 300 & echo up; wait'],
      directory: '/', environment: { PATH: '/usr/bin:/bin' }, mounts: [], hidden: [],
      limits: defaultSandboxLimits, limitAddressSpace: false, egress: null,
    });
    child.stdout.once('data', () => console.log(child.pid));`;
  await bundleModule(contents, folder, hostScript);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a host that is killed', () => {
  test.each([
    ['bubblewrap', 'processes'],
    ['no-sandbox', 'unsandboxed-processes'],
  ])('leaves nothing running (%s)', async (kind, file) => {
    const { host, group, processes } = await startHost(kind);
    expect(processes.every(isAlive)).toBe(true);
    host.kill('SIGKILL');
    await until(() => !processes.some(isAlive));
    // Still in the file, but there is nothing left to kill.
    expect(readFileSync(join(stateOf(kind), file), 'utf8')).toContain(`+${group} `);
    openPidFile(stateOf(kind), user.uid, file).close();
    expect(readFileSync(join(stateOf(kind), file), 'utf8')).toBe(`${boot}\n`);
  });

  test('together with its watchdog leaves processes that the next host kills', async () => {
    const { host, group, processes } = await startHost('no-sandbox');
    const watchdogs = processTree(host.pid as number).filter(
      (it) => it !== host.pid && !processes.includes(it),
    );
    expect(watchdogs).toHaveLength(1);
    // Paused first, so that it cannot notice the end of its host.
    process.kill(watchdogs[0] as number, 'SIGSTOP');
    host.kill('SIGKILL');
    process.kill(watchdogs[0] as number, 'SIGKILL');
    await until(() => !isAlive(watchdogs[0] as number) && !isAlive(host.pid as number));
    // Control: no other process kills them.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(processes.filter(isAlive)).toEqual(processes);
    expect(processes).toContain(group);
    openPidFile(stateOf('no-sandbox'), user.uid, 'unsandboxed-processes').close();
    await until(() => !processes.some(isAlive));
  });
});

describe('the PID file', () => {
  const fresh = (name: string, text: string) => {
    const state = join(folder, name);
    mkdirSync(state);
    writeFileSync(join(state, 'processes'), text);
    return state;
  };

  test('does not kill another process with the same PID', async () => {
    const group = await sleeper();
    const start = startOf(group);
    const cases = [
      `${boot}\n+${group} ${Number(start) + 1}\n`,
      `another-boot\n+${group} ${start}\n`,
      `${boot}\n+${group} ${start}\n-${group}\n`,
      `${boot}\n+${group} ${start} \n+1 1\n+0 0\n+-1 5\ngarbage\n\u0000\n`,
    ];
    for (const [index, text] of cases.entries()) openPidFile(fresh(`alone-${index}`, text), user.uid).close();
    openPidFile(fresh('alone-user', `${boot}\n+${group} ${start}\n`), user.uid + 1).close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAlive(group)).toBe(true);
    const own = spawn('/bin/sleep', ['300'], { ...spawnAs, stdio: 'ignore', detached: true, cwd: '/' });
    const ownGroup = own.pid as number;
    openPidFile(fresh('alone-own', `${boot}\n+${ownGroup} ${startOf(ownGroup)}\n`), user.uid).close();
    expect(isAlive(ownGroup)).toBe(true);
    own.kill('SIGKILL');
    // Control: a process with a correct entry is killed.
    openPidFile(fresh('ended', `${boot}\n+${group} ${start}\n`), user.uid).close();
    await until(() => !isAlive(group));
  });

  test('lists running process groups, removes ended ones and does not grow', async () => {
    const state = fresh('growing', '');
    const pidFile = openPidFile(state, user.uid);
    const group = await sleeper();
    for (let n = 0; n < 5000; n += 1) {
      pidFile.started(group);
      if (n < 4999) pidFile.ended(group);
    }
    const text = () => readFileSync(join(state, 'processes'), 'utf8');
    expect(text().split('\n').length).toBeLessThan(5000);
    expect(text()).toMatch(new RegExp(`\\+${group} ${startOf(group)}\n$`));
    pidFile.ended(group);
    expect(text()).toMatch(new RegExp(`-${group}\n$`));
    pidFile.close();
    openPidFile(state, user.uid).close();
    expect(isAlive(group)).toBe(true);
    process.kill(group, 'SIGKILL');
  });

  test('reports a folder that it cannot write to', () => {
    expect(() => openPidFile(join(folder, 'absent'), user.uid)).toThrow(/the PID file .* cannot be written/);
  });
});

const stateOf = (name: string) => join(folder, `state-${name}`);

async function startHost(kind: string) {
  mkdirSync(stateOf(kind), { recursive: true });
  const host = spawn(process.execPath, [hostScript, kind, stateOf(kind)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const group = await new Promise<number>((resolve) =>
    host.stdout.once('data', (chunk) => resolve(Number(String(chunk)))),
  );
  return { host, group, processes: processTree(group) };
}

/** An orphaned process that leads its own group, like one that a dead host leaves behind. */
async function sleeper(): Promise<number> {
  const parent = spawn('/bin/sh', ['-c', 'setsid sleep 300 >/dev/null & echo $!'], {
    ...spawnAs,
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
  });
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once('data', (chunk) => resolve(Number(String(chunk)))),
  );
  await new Promise((resolve) => parent.once('close', resolve));
  await until(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep'));
  return pid;
}

/** A zombie does not count as alive. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function startOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[19] as string;
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('the condition was not met in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
