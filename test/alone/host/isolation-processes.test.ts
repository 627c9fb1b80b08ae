// Worker processes belong to one caller, and nothing stays behind when a call, a session or the host ends.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import type { HostOptions, Session } from '../../../src/index.js';
import { allProcesses, pause, running, sandboxed } from '../../support/processes.js';
import { until } from '../../support/toolwharf.js';
import {
  type Files,
  failureOf,
  makeAnew,
  pythonTool,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const benches: Workbench[] = [];

async function open(files: Files, options: Partial<HostOptions> = {}): Promise<Workbench> {
  const made = await workbench(files, options);
  benches.push(made);
  return made;
}

afterEach(async () => {
  for (const it of benches.splice(0)) {
    await it.close();
    expect(it.bugs).toEqual([]);
  }
});

const call = (of: Session, tool: string, text?: string) =>
  of.call({ tool, arguments: text === undefined ? {} : { text } });

describe('worker processes', () => {
  const files = talos({
    id: 'worker',
    functions: ['count', 'list'],
    code: `import { readdirSync } from 'node:fs';
let calls = 0;
export const count = () => ++calls;
export const list = () => readdirSync('.');`,
  });

  test('callers and workspaces do not share a worker process', async () => {
    const bench = await open(files);
    const elsewhere = join(bench.path, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o777 });
    const ada = await bench.session({ principal: 'ada' });
    const bob = await bench.session({ principal: 'bob' });
    const away = await bench.session({ principal: 'ada', root: elsewhere });
    const counts = [];
    for (const session of [ada, ada, bob, ada, away, bob])
      counts.push(await resultOf(call(session, 'worker/count')));
    expect(counts).toEqual([1, 2, 1, 3, 1, 2]);
  });

  test('a second session of the same caller uses the same worker process', async () => {
    const bench = await open(files);
    expect(await resultOf(call(await bench.session(), 'worker/count'))).toBe(1);
    expect(await resultOf(call(await bench.session(), 'worker/count'))).toBe(2);
  });

  test('a worker process sees the workspace as it is at the time of the call', async () => {
    const bench = await open(files);
    const root = join(bench.path, 'moving');
    makeAnew(root, 'old.txt');
    const session = await bench.session({ root });
    expect(await resultOf(call(session, 'worker/list'))).toEqual(['old.txt']);
    makeAnew(root, 'new.txt');
    expect(await resultOf(call(session, 'worker/list'))).toEqual(['new.txt']);
  });
});

describe('hidden files', () => {
  test('a hidden file stays hidden from a worker process after it is replaced', async () => {
    const bench = await open(
      talos({
        id: 'looks',
        functions: ['look'],
        code: `import { readFileSync } from 'node:fs';
export const look = ({ file }) => { try { return readFileSync(file, 'utf8'); } catch (error) { return error.code; } };`,
      }),
    );
    const session = await bench.session();
    const look = (file: string) => resultOf(session.call({ tool: 'looks/look', arguments: { file } }));
    const files = ['.ssh/id_ed25519', '.netrc', 'plain.txt'];
    const make = () => {
      rmSync(join(bench.root, '.ssh'), { recursive: true, force: true });
      mkdirSync(join(bench.root, '.ssh'), { mode: 0o755 });
      for (const it of files) {
        // Atomically, like editors and key generators.
        writeFileSync(join(bench.root, 'draft'), 'REACHED');
        renameSync(join(bench.root, 'draft'), join(bench.root, it));
      }
    };
    for (let round = 0; round < 2; round++) {
      make();
      expect(await look('plain.txt'), 'control').toBe('REACHED');
      for (const it of files.slice(0, 2)) expect(await look(it), `${it}, round ${round}`).not.toBe('REACHED');
    }
  });
});

describe('cleanup', () => {
  test('closing the host ends all processes and cancels running calls', async () => {
    const bench = await open({
      'echo.py': pythonTool({ name: 'echo', body: ['return {"echo": text}'] }),
      'hang.py': pythonTool({ name: 'hang', body: ['import time; time.sleep(120)'] }),
      ...talos({
        id: 'worker',
        functions: ['hold'],
        code: 'export const hold = () => new Promise(() => {});',
      }),
    });
    const session = await bench.session();
    await resultOf(call(session, 'echo', ''));
    const calls = ['hang', 'worker/hold'].map((tool) => call(session, tool));
    await until(() => running().length === 3);
    const stages = () => readdirSync('/tmp').filter((it) => it.startsWith(`toolwharf-stage-${process.pid}-`));
    expect(stages()).toHaveLength(1);
    const closing = performance.now();
    await bench.host.close();
    expect(performance.now() - closing).toBeLessThan(3000);
    for (const it of calls) expect(await failureOf(it)).toMatchObject({ code: 'canceled' });
    await until(() => running().length === 0, 2000);
    expect(stages()).toEqual([]);
  });

  test('a daemon that a tool starts ends with the call', async () => {
    const bench = await open(
      {
        'daemon.py': pythonTool({
          name: 'daemon',
          head: ['import time'],
          body: [
            'if os.fork() == 0:',
            '    os.setsid()',
            '    for n in range(3): os.close(n)',
            '    if os.fork() == 0: time.sleep(120)',
            '    os._exit(0)',
            'return {"started": True}',
          ],
        }),
      },
      { warm: false },
    );
    const before = performance.now();
    expect(await resultOf(call(await bench.session(), 'daemon'))).toEqual({ started: true });
    expect(performance.now() - before).toBeLessThan(5000);
    await until(() => sandboxed(process.pid).length === 0, 2000);
  });

  test('a host that is killed during calls leaves no process', async () => {
    const bench = await open({
      'mark.py': pythonTool({
        name: 'mark',
        filesystem: 'read-write',
        body: [
          'import time',
          'for n in range(1200):',
          '    open("alive", "a").write("x")',
          '    time.sleep(0.05)',
          'return {}',
        ],
      }),
      ...talos({
        id: 'worker',
        functions: ['hold'],
        code: 'export const hold = () => new Promise(() => {});',
      }),
    });
    const script = `
      import { createHost } from ${JSON.stringify(join(import.meta.dirname, '../../../src/index.ts'))};
      const [state, packages, root] = process.argv.slice(2);
      const host = await createHost({ state });
      const rules = [{ tool: '*', undeclaredEffect: 'write', origin: { kind: 'session' } }];
      const session = await host.session({ directories: [packages], root, policy: { rules } });
      for (const tool of ['mark', 'worker/hold']) session.call({ tool, arguments: {} });`;
    const built = join(bench.path, 'killed.mjs');
    // One dependency is not bundled.
    symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(bench.path, 'node_modules'));
    await bundleModule(script, import.meta.dirname, built);
    const child = spawn(
      process.execPath,
      [built, join(bench.path, 'killed-state'), bench.packages, bench.root],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    try {
      const pid = child.pid as number;
      await until(() => existsSync(join(bench.root, 'alive')) && sandboxed(pid).length >= 5, 20_000);
      const started = sandboxed(pid).map((it) => it.pid);
      child.kill('SIGKILL');
      const gone = () => {
        const alive = new Set(allProcesses().map((it) => it.pid));
        return started.every((it) => !alive.has(it));
      };
      await until(gone, 5000);
      const size = readFileSync(join(bench.root, 'alive')).length;
      await pause(300);
      expect(readFileSync(join(bench.root, 'alive'))).toHaveLength(size);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
