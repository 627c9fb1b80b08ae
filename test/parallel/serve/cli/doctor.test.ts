// Checks of the doctor command: with real tests on this machine, and with simulated problems.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../../src/host/doctor/doctor.js';
import { checkEgress } from '../../../../src/host/doctor/egress.js';
import {
  checkNamespaces,
  checkNode,
  checkPlatform,
  type MachineFacts,
} from '../../../../src/host/doctor/machine.js';
import { checkContainment } from '../../../../src/host/doctor/sandbox.js';
import { checkRoots, checkState } from '../../../../src/host/doctor/state.js';
import type { Check } from '../../../../src/host/host.js';
import { openEgress } from '../../../../src/net/egress.js';
import { bubblewrap } from '../../../../src/sandbox/bubblewrap/bubblewrap.js';
import { findNode } from '../../../../src/sandbox/interpreter.js';
import type { Sandbox } from '../../../../src/sandbox/sandbox.js';
import { parseArguments } from '../../../../src/serve/cli/command/arguments.js';
import { doctor } from '../../../../src/serve/cli/commands/doctor.js';
import { printChecks } from '../../../../src/serve/print/checks.js';
import { makeStyle } from '../../../../src/serve/print/style.js';
import { width } from '../../../../src/serve/print/width.js';
import { AuditLog } from '../../../../src/store/audit-log.js';
import { openSqlite } from '../../../../src/store/sqlite/sqlite.js';
import { openDatabase } from '../../../../src/store/sqlite/sqlite-database.js';
import { lockState } from '../../../../src/store/sqlite/state-lock.js';
import { writableControlGroup } from '../../../support/control-group.js';
import { testTerminal } from '../../../support/terminal.js';
import { type LoopbackServer, loopbackServer, temporaryFolder } from '../../../support/toolwharf.js';

const unprivileged = { uid: 65533, gid: 65533 };
const greeting = 'hello';
let folder: ReturnType<typeof temporaryFolder>;
let server: LoopbackServer;
beforeEach(async () => {
  folder = temporaryFolder();
  server = await loopbackServer((_request, response) => response.end(greeting));
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

const machine: MachineFacts = {
  platform: process.platform,
  arch: process.arch,
  node: { path: process.execPath, version: process.versions.node },
  now: Date.UTC(2026, 0, 1),
  readFile: (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
};

function examined(
  sandbox: Sandbox,
  more: Partial<Parameters<typeof runDoctor>[0]> = {},
): Promise<readonly Check[]> {
  return runDoctor({
    state: join(folder.path, 'state'),
    roots: [folder.path],
    home: '/nowhere',
    machine,
    sandbox,
    keychain: null,
    listener: { port: server.port, greeting, connections: () => server.requests.length },
    openEgress,
    ...more,
  });
}

const statuses = (checks: readonly Check[]) => Object.fromEntries(checks.map((it) => [it.id, it.status]));

describe('the sandbox', () => {
  test('all checks pass on this machine', async () => {
    const checks = await examined(bubblewrap());
    expect(statuses(checks)).toEqual({
      node: expect.stringMatching(/ok|warn/),
      platform: 'ok',
      // Without a control group, memory is only watched, which is a warning.
      sandbox: writableControlGroup() === null ? expect.stringMatching(/^(?:ok|warn)$/) : 'ok',
      'sandbox.version': 'ok',
      'sandbox.files': 'ok',
      'sandbox.seccomp': 'ok',
      'sandbox.network': 'ok',
      'sandbox.processes': 'ok',
      'sandbox.memory': 'ok',
      'sandbox.egress': 'ok',
      python: 'ok',
      pip: 'ok',
      'node.inside': 'ok',
      npm: 'ok',
      state: 'ok',
      roots: 'ok',
    });
    // Only the granted request reached the server.
    expect(server.requests).toHaveLength(1);
  });

  test('the sandbox can be tested with Node only', async () => {
    const nodeOnly = findNode(undefined, bubblewrap().user, machine.node);
    const listener = { port: server.port, greeting, connections: () => server.requests.length };
    const contained = await checkContainment(bubblewrap(), nodeOnly, listener);
    expect(contained.find((it) => it.id === 'sandbox.network')).toMatchObject({ status: 'ok' });
    expect(await checkEgress(bubblewrap(), nodeOnly, listener, openEgress)).toMatchObject({ status: 'ok' });
    const open = await checkContainment(bare(), nodeOnly, listener);
    expect(open.find((it) => it.id === 'sandbox.network')).toMatchObject({ status: 'fail' });
  });

  test('without a sandbox every check fails (control)', async () => {
    const checks = await examined(bare());
    expect(statuses(checks)).toMatchObject({
      'sandbox.files': 'fail',
      'sandbox.seccomp': 'fail',
      'sandbox.network': 'fail',
      'sandbox.processes': 'fail',
      'sandbox.memory': 'warn',
      'sandbox.egress': 'fail',
    });
    for (const it of checks) if (it.status === 'fail') expect(it.fix, it.id).toBeTruthy();
  });

  test('an egress proxy that allows a host without a grant fails the check', async () => {
    const lenient: typeof openEgress = (options) =>
      openEgress({
        ...options,
        policy: {
          ...options.policy,
          reach: {
            hosts: [...options.policy.reach.hosts, { host: '127.0.0.2', port: server.port }],
            granted: [...options.policy.reach.granted, { host: '127.0.0.2', port: server.port }],
          },
        },
      });
    const checks = await examined(bubblewrap(), { openEgress: lenient });
    expect(checks.find((it) => it.id === 'sandbox.egress')).toMatchObject({
      status: 'fail',
      message: 'a host without a grant is not denied',
    });
  });

  test('a sandbox that cannot start is reported with a fix, and no test runs in it', async () => {
    const broken: Sandbox = {
      ...bubblewrap(),
      probe: async () => ({ level: 'unavailable', reasons: ['no namespaces'], hint: 'sudo make it so' }),
      spawn: () => {
        throw new Error('nothing may be started');
      },
    };
    const checks = await examined(broken, {
      machine: {
        ...machine,
        readFile: (path) => (path.endsWith('apparmor_restrict_unprivileged_userns') ? '1\n' : undefined),
      },
    });
    expect(checks.find((it) => it.id === 'sandbox')).toEqual({
      id: 'sandbox',
      status: 'fail',
      message: 'the sandbox does not work: no namespaces',
      fix: 'sudo make it so',
    });
    expect(checks.find((it) => it.id === 'sandbox.namespaces')?.fix).toContain('bwrap-userns-restrict');
    expect(checks.map((it) => it.id)).not.toContain('sandbox.files');
  });
});

/** Runs the same commands as an unprivileged user without a sandbox. */
function bare(): Sandbox {
  return {
    name: 'bubblewrap',
    isolates: false,
    user: unprivileged,
    inside: (mount) => mount.source,
    probe: async () => ({ level: 'enforced' }),
    spawn: ({ argv, environment }) => {
      const [program = '', ...args] = argv;
      const root = process.getuid?.() === 0;
      const child = spawn(program, args, {
        ...(root ? unprivileged : {}),
        cwd: '/tmp',
        env: { ...environment },
        detached: true,
      });
      const group = child.pid as number;
      const end = () => {
        try {
          process.kill(-group, 'SIGKILL');
        } catch {
          // The whole group has already ended.
        }
      };
      // Its child processes end too. Otherwise the streams stay open.
      child.once('exit', end);
      return {
        pid: group,
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        exited: new Promise((done) => child.once('close', (code, signal) => done({ code, signal }))),
        kill: end,
      };
    },
  };
}

describe('the Node version', () => {
  const at = (version: string, day: string): Check =>
    checkNode({ ...machine, node: { path: '', version }, now: Date.parse(day) });
  test.each([
    ['18.20.0', '2024-01-01', 'fail'],
    ['20.18.3', '2025-01-01', 'fail'],
    ['20.19.0', '2025-01-01', 'ok'],
    ['20.20.2', '2026-04-15', 'warn'],
    ['20.20.2', '2026-04-30', 'warn'],
    ['20.20.2', '2026-05-01', 'warn'],
    ['24.1.0', '2026-05-01', 'ok'],
    ['99.0.0', '2026-05-01', 'ok'],
  ])('version %s on %s is %s', (version, day, status) => {
    const check = at(version, day);
    expect(check.status).toBe(status);
    expect(check.fix === undefined).toBe(status === 'ok');
  });
  test('the message has the date since when a version is not supported', () => {
    expect(at('20.20.2', '2026-05-01').message).toBe('Node 20.20.2 has not been supported since 2026-04-30');
  });
});

test.each([
  ['linux', 'x64', 'ok'],
  ['linux', 'arm64', 'ok'],
  ['linux', 'ia32', 'fail'],
  ['darwin', 'arm64', 'warn'],
  ['win32', 'x64', 'fail'],
])('the platform %s on %s is %s', (platform, arch, status) => {
  expect(checkPlatform({ ...machine, platform, arch }).status).toBe(status);
});

test.each([
  ['user/max_user_namespaces', '0', 'user.max_user_namespaces=10000'],
  ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
  ['kernel/apparmor_restrict_unprivileged_userns', '1', 'apparmor'],
])('the kernel setting %s = %s is reported with a fix', (name, value, fix) => {
  const readFile = (path: string) => (path === `/proc/sys/${name}` ? `${value}\n` : undefined);
  expect(checkNamespaces({ ...machine, readFile })).toMatchObject({
    status: 'fail',
    fix: expect.stringContaining(fix),
  });
  expect(checkNamespaces({ ...machine, readFile: () => undefined })).toBeUndefined();
});

describe('the state directory', () => {
  const state = () => join(folder.path, 'state');
  const find = async (id: string) => (await checkState(state(), null)).find((it) => it.id === id);
  const make = async () => {
    mkdirSync(state(), { mode: 0o700 });
    const database = openDatabase(state());
    const log = new AuditLog(database, () => 0);
    for (let line = 0; line < 3; line++) await log.append({ kind: 'start', body: { line } });
    await log.flush();
    await database.destroy();
  };

  test('the check does not create the state directory', async () => {
    expect(await find('state')).toMatchObject({ status: 'ok' });
    expect(statSync(state(), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('the check leaves no files in the parent folder', async () => {
    const before = readdirSync(folder.path);
    expect(await checkState(join(folder.path, 'a', 'b', 'state'), null)).toMatchObject([{ status: 'ok' }]);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  test.each([
    ['below a file', () => join(folder.path, 'file', 'state'), 'ENOTDIR'],
    ['in a file system without new folders', () => '/proc/nowhere/state', 'ENOENT|EACCES'],
    ['with a name that is too long', () => join(folder.path, 'x'.repeat(300), 'state'), 'ENAMETOOLONG'],
  ])('a state directory that cannot be created is reported: %s', async (_name, place, code) => {
    writeFileSync(join(folder.path, 'file'), '');
    const before = readdirSync(folder.path);
    const state = place();
    expect(await checkState(state, null)).toEqual([
      expect.objectContaining({
        id: 'state',
        status: 'fail',
        message: expect.stringMatching(new RegExp(`cannot be created in .*\\((?:${code})\\)`)),
        fix: expect.stringContaining('--state'),
      }),
    ]);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  test('a valid state directory passes, and disabled packages are a warning', async () => {
    await make();
    expect(statuses(await checkState(state(), null))).toEqual({
      state: 'ok',
      secrets: 'ok',
      pin: 'warn',
      database: 'ok',
      audit: 'ok',
    });
    expect(await find('pin')).toMatchObject({ fix: 'toolwharf pin set' });
    const connection = openSqlite(join(state(), 'toolwharf.db'));
    connection.exec("insert into disabled_package values ('weather', 0, 'me')");
    connection.exec("insert into operator_pin values (1, x'00', x'00', 0, 0, 0, 0, 0)");
    connection.close();
    expect(await find('pin')).toMatchObject({ status: 'ok' });
    expect(await find('packages')).toEqual({
      id: 'packages',
      status: 'warn',
      message: 'disabled packages: weather',
      fix: 'toolwharf enable weather',
    });
  });

  test('a changed audit log is reported with the entry', async () => {
    await make();
    const connection = openSqlite(join(state(), 'toolwharf.db'));
    connection.exec('drop trigger if exists audit_update; drop trigger if exists audit_no_update');
    for (const { name } of connection.all("select name from sqlite_master where type = 'trigger'", []))
      connection.exec(`drop trigger "${name}"`);
    connection.exec("update audit set body = '{}' where seq = 2");
    connection.close();
    expect(await find('audit')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('entry 2'),
    });
  });

  test('a state directory that other users may write to is reported with a fix', async () => {
    await make();
    chmodSync(state(), 0o770);
    expect(await find('state')).toMatchObject({ status: 'fail', fix: `chmod go-w ${state()}` });
    chmodSync(state(), 0o700);
    expect(await find('state')).toMatchObject({ status: 'ok' });
  });

  test('a state directory that a host is using is not opened', async () => {
    await make();
    const lock = lockState(state());
    expect(await find('database')).toEqual({
      id: 'database',
      status: 'ok',
      message: `a host is running: another Toolwharf (process ${process.pid}) is using ${state()}`,
    });
    lock.release();
    expect(await find('database')).toMatchObject({ message: 'the database opens' });
  });

  test('a file that is not a database is reported', async () => {
    mkdirSync(state(), { mode: 0o700 });
    writeFileSync(join(state(), 'toolwharf.db'), 'x'.repeat(5000));
    expect(await find('database')).toMatchObject({ status: 'fail' });
  });

  test.each([
    ['vault.key', 0o600, 'ok', 'secrets are protected by a key file that only you can read'],
    ['vault.salt', 0o600, 'ok', 'secrets are protected by a passphrase'],
    ['vault.key', 0o640, 'fail', 'other users may read'],
  ])('the key file %s with mode %o is %s', async (name, mode, status, message) => {
    await make();
    writeFileSync(join(state(), name), 'x');
    chmodSync(join(state(), name), mode);
    expect(await find('secrets')).toMatchObject({ status, message: expect.stringContaining(message) });
  });
});

describe('root folders', () => {
  test('a root folder that the user of the sandbox cannot enter is a warning', () => {
    const closed = join(folder.path, 'closed');
    mkdirSync(join(closed, 'inner'), { recursive: true });
    const roots = (home: string) =>
      checkRoots([folder.path, join(closed, 'inner'), '/no/such'], unprivileged, home);
    expect(roots('/nowhere').map((it) => it.status)).toEqual(['ok', 'ok', 'warn']);
    chmodSync(closed, 0o700);
    expect(roots('/nowhere')[1]).toMatchObject({ status: 'warn', fix: `chmod o+rx ${closed}` });
    // The fix never opens a home folder to all users.
    expect(roots(closed)[1]?.fix).not.toContain('chmod');
  });
});

describe('the command', () => {
  const checks: readonly Check[] = [
    { id: 'node', status: 'ok', message: 'Node 24.0.0, supported until 2028-04-30' },
    {
      id: 'sandbox.namespaces',
      status: 'fail',
      message:
        'AppArmor does not let bubblewrap create user namespaces, which is the default on Ubuntu 24.04',
      fix: 'sudo apt-get install apparmor-profiles && sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/',
    },
    { id: 'npm', status: 'warn', message: 'npm is not installed\u001B[2J', fix: 'sudo apt-get install npm' },
  ];
  const run = async (args: string[], found: readonly Check[], columns = 100) => {
    const terminal = testTerminal({
      cwd: folder.path,
      columns,
      examine: async () => found,
    });
    const code = await doctor.run(parseArguments(doctor, args), terminal);
    return { code, ...terminal.printed };
  };

  test.each([
    [['ok'], 0],
    [['ok', 'warn'], 0],
    [['state:fail'], 1],
    [['state:fail', 'sandbox:fail'], 7],
    [['sandbox.egress:fail'], 7],
  ])('checks with the results %j give exit code %d', async (results, code) => {
    const found = results.map((it) => {
      const [id, status] = it.includes(':') ? it.split(':') : ['node', it];
      return { id, status, message: 'x' } as Check;
    });
    expect((await run([], found)).code).toBe(code);
  });

  test('--json has every check, and the check of the configuration', async () => {
    const { out } = await run(['--json'], checks);
    expect(JSON.parse(out)).toEqual({
      schema: 'toolwharf/doctor@1',
      checks: [...checks, { id: 'config', status: 'ok', message: 'no configuration file' }],
      summary: { ok: 2, warn: 1, fail: 1 },
    });
  });

  test('a wrong configuration is a failed check, and the other checks still run', async () => {
    writeFileSync(join(folder.path, 'toolwharf.toml'), 'paths = []\n');
    const { code, out } = await run([], []);
    expect(code).toBe(1);
    expect(out).toMatch(/✗ config +the configuration has errors/);
    expect(out).toContain('→ toolwharf config list');
  });

  test.each([60, 80, 120])(
    'in %d columns fixes can be copied and control characters are removed',
    (columns) => {
      const text = printChecks(checks, checks, makeStyle(false), columns);
      // An argument that is longer than the line is not split.
      const fitting = text.split('\n').filter((it) => !/^ +\S{50,}/.test(it));
      for (const line of fitting) expect(width(line), line).toBeLessThanOrEqual(columns);
      const shell = text.replaceAll(/ \\\n +/g, ' ');
      expect(shell).toContain(checks[1]?.fix);
      expect(text).not.toContain('\u001B');
      expect(text).toContain('3 checks: 1 failed, 1 warning');
    },
  );
});
