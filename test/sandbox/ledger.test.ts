// Hosts that are killed, with real processes. What is left over is ended; what is not ours is left alone.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../scripts/bundle.mjs';
import { confinedUser } from '../../src/sandbox/identity.js';
import { openLedger } from '../../src/sandbox/ledger.js';
import { processesBelow } from '../../src/sandbox/process-tree.js';

const sources = join(import.meta.dirname, '../../src/sandbox');
const { user, identity } = confinedUser();
const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
let folder: string;
let hostScript: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-ledger-'));
  chmodSync(folder, 0o755);
  hostScript = join(folder, 'host.mjs');
  const contents = `
    import { bubblewrap } from ${JSON.stringify(join(sources, 'bubblewrap.ts'))};
    import { unconfined } from ${JSON.stringify(join(sources, 'unconfined.ts'))};
    import { defaultLimits } from ${JSON.stringify(join(sources, 'sandbox.ts'))};
    const ledger = process.argv[3];
    const sandbox = process.argv[2] === 'bubblewrap' ? bubblewrap({ ledger }) : unconfined({ ledger });
    const child = sandbox.spawn({
      argv: ['/bin/sh', '-c', 'sleep 300 & echo up; wait'],
      directory: '/', environment: { PATH: '/usr/bin:/bin' }, mounts: [], hidden: [],
      limits: defaultLimits, boundAddressSpace: false, egress: null,
    });
    child.stdout.once('data', () => console.log(child.pid));`;
  await bundleModule(contents, folder, hostScript);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a host that is killed', () => {
  test.each([
    ['bubblewrap', 'processes'],
    ['unconfined', 'unconfined-processes'],
  ])('leaves nothing running (%s)', async (kind, file) => {
    const { host, group, processes } = await startHost(kind);
    expect(processes.every(isAlive)).toBe(true);
    host.kill('SIGKILL');
    await until(() => !processes.some(isAlive));
    // On record still, and nothing to end.
    expect(readFileSync(join(stateOf(kind), file), 'utf8')).toContain(`+${group} `);
    openLedger(stateOf(kind), user.uid, file).close();
    expect(readFileSync(join(stateOf(kind), file), 'utf8')).toBe(`${boot}\n`);
  });

  test('together with its reaper leaves what the next host ends', async () => {
    const { host, group, processes } = await startHost('unconfined');
    const reapers = processesBelow(host.pid as number).filter(
      (it) => it !== host.pid && !processes.includes(it),
    );
    expect(reapers).toHaveLength(1);
    // Stopped first, so that it cannot see the end of its host before its own.
    process.kill(reapers[0] as number, 'SIGSTOP');
    host.kill('SIGKILL');
    process.kill(reapers[0] as number, 'SIGKILL');
    await until(() => !isAlive(reapers[0] as number) && !isAlive(host.pid as number));
    // The control: nobody else ends it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(processes.filter(isAlive)).toEqual(processes);
    expect(processes).toContain(group);
    openLedger(stateOf('unconfined'), user.uid, 'unconfined-processes').close();
    await until(() => !processes.some(isAlive));
  });
});

describe('the record', () => {
  const fresh = (name: string, text: string) => {
    const state = join(folder, name);
    mkdirSync(state);
    writeFileSync(join(state, 'processes'), text);
    return state;
  };

  test('another process under the same number is left alone', async () => {
    const group = await sleeper();
    const start = startOf(group);
    const cases = [
      `${boot}\n+${group} ${Number(start) + 1}\n`,
      `another-boot\n+${group} ${start}\n`,
      `${boot}\n+${group} ${start}\n-${group}\n`,
      `${boot}\n+${group} ${start} \n+1 1\n+0 0\n+-1 5\ngarbage\n\u0000\n`,
    ];
    for (const [index, text] of cases.entries()) openLedger(fresh(`alone-${index}`, text), user.uid).close();
    openLedger(fresh('alone-user', `${boot}\n+${group} ${start}\n`), user.uid + 1).close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAlive(group)).toBe(true);
    const own = spawn('/bin/sleep', ['300'], { ...identity, stdio: 'ignore', detached: true, cwd: '/' });
    const ownGroup = own.pid as number;
    openLedger(fresh('alone-own', `${boot}\n+${ownGroup} ${startOf(ownGroup)}\n`), user.uid).close();
    expect(isAlive(ownGroup)).toBe(true);
    own.kill('SIGKILL');
    // The control: told rightly, it is ended.
    openLedger(fresh('ended', `${boot}\n+${group} ${start}\n`), user.uid).close();
    await until(() => !isAlive(group));
  });

  test('names what runs and forgets what ended, and does not grow', async () => {
    const state = fresh('growing', '');
    const ledger = openLedger(state, user.uid);
    const group = await sleeper();
    for (let n = 0; n < 5000; n += 1) {
      ledger.started(group);
      if (n < 4999) ledger.ended(group);
    }
    const text = () => readFileSync(join(state, 'processes'), 'utf8');
    expect(text().split('\n').length).toBeLessThan(5000);
    expect(text()).toMatch(new RegExp(`\\+${group} ${startOf(group)}\n$`));
    ledger.ended(group);
    expect(text()).toMatch(new RegExp(`-${group}\n$`));
    ledger.close();
    openLedger(state, user.uid).close();
    expect(isAlive(group)).toBe(true);
    process.kill(group, 'SIGKILL');
  });

  test('one that cannot be kept is said', () => {
    expect(() => openLedger(join(folder, 'absent'), user.uid)).toThrow(/cannot be written/);
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
  return { host, group, processes: processesBelow(group) };
}

/** Leader of its own group and nobody's child any more, like what a dead host leaves. */
async function sleeper(): Promise<number> {
  const parent = spawn('/bin/sh', ['-c', 'setsid sleep 300 >/dev/null & echo $!'], {
    ...identity,
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

/** A process that ended and that nobody asked about yet is not alive. */
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
    if (performance.now() > end) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
