// SECURITY.md: "Containers are confined too". Each attempt is a script that prints REACHED if it succeeds; a
// tool runs it through the host. The control runs the same script in the same image, as the same user, with
// one layer removed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerPackage, openContainerBench, shellAction } from '../../support/container-bench.js';
import { type LoopbackServer, loopbackServer, until } from '../../support/toolwharf.js';
import { failureOf, type Workbench, workbench } from '../../support/workbench.js';

const { containerBench, skipped } = openContainerBench();
const canary = ['canary', 'of', 'the', 'host'].join('-');
const token = ['tok', 'en', '4711', 'kept'].join('-');
const variable = 'CONTAINER_TEST_CANARY_OF_HOST';

/** Engine options that the host sets for every container; each control omits one group. */
const layers: Readonly<Record<string, readonly string[]>> = {
  network: ['--network', 'none'],
  root: ['--read-only'],
  capabilities: ['--cap-drop', 'ALL'],
  privileges: ['--security-opt', 'no-new-privileges'],
  processes: ['--pids-limit', '24'],
  memory: ['--memory', '64m', '--memory-swap', '64m'],
};

const names = [
  'the network of the host',
  'files of the host',
  'a writable image',
  'capabilities',
  'new privileges',
  'more processes than allowed',
  'more memory than allowed',
  'keys in the workspace',
  'keys in a folder that was moved before',
  'the environment of the host',
];

interface Attempt {
  readonly name: string;
  /** Runs in an earlier container: it can move files that a later container would hide. */
  readonly first?: string;
  readonly script: string;
  /** Layer that the control omits, and the engine options that it adds instead. */
  readonly without?: string;
  readonly instead?: readonly string[];
}

describe.skipIf(skipped !== '')(`attempts to leave a container fail${skipped}`, () => {
  let bench: Workbench;
  let listener: LoopbackServer;

  beforeAll(async () => {
    listener = await loopbackServer((_request, response) => void response.end('REACHED'));
    const scopes = [{ resource: 'fs.local', actions: ['read', 'write'], rationale: 'To use the workspace.' }];
    bench = await workbench({
      'box/toolspace.json': containerPackage({
        id: 'box',
        image: containerBench.image,
        command: ['sh'],
        actions: [shellAction],
        scopes,
      }),
      'keep/toolspace.json': containerPackage({
        id: 'keep',
        image: containerBench.image,
        command: ['sh'],
        actions: [shellAction],
        env: [{ name: 'KEPT_VALUE', prompt: 'A value.', secret: true, required: true }],
      }),
    });
    writeFileSync(join(bench.path, 'canary'), 'REACHED\n');
    mkdirSync(join(bench.root, 'deep/.ssh'), { recursive: true });
    mkdirSync(join(bench.root, '.aws'));
    for (const it of ['deep/.ssh/id_ed25519', '.env', '.aws/credentials'])
      writeFileSync(join(bench.root, it), 'REACHED\n', { mode: 0o644 });
    process.env[variable] = canary;
  });
  afterAll(async () => {
    delete process.env[variable];
    await bench?.close();
    expect(containerBench.containers()).toEqual([]);
    containerBench.remove();
    await listener?.close();
  });

  const hidden = () => ['deep/.ssh', '.aws', '.env'].map((it) => `read:${join(bench.root, it)}`);
  const limits = { processes: 24, memoryBytes: 64 * 1024 * 1024 };
  const run = async (tool: string, script: string) => {
    const open = await bench.session({
      policy: { containers: { engine: containerBench.engine }, limits, deny: hidden() },
    });
    const answer = await open.call({ tool, arguments: { script } });
    return JSON.stringify(answer.status === 'ok' ? answer.result : answer);
  };
  const control = async (script: string, without: string | undefined, instead: readonly string[]) => {
    const kept = Object.entries(layers).flatMap(([name, args]) => (name === without ? [] : args));
    const user = ['--user', '65533:65533', '--ulimit', 'nproc=4096:4096', '--ulimit', 'nofile=256:256'];
    const args = [...user, '--pull', 'never', '--entrypoint', '["sh"]', containerBench.image, '-c', script];
    return containerBench.aside('run', '--rm', ...kept, ...instead, ...args);
  };

  const putBack = () => {
    const [moved, deep] = [join(bench.root, 'moved'), join(bench.root, 'deep')];
    if (existsSync(moved)) renameSync(moved, deep);
  };
  const attempts = (): Attempt[] => [
    {
      name: 'the network of the host',
      script: `wget -q -O - http://127.0.0.1:${listener.port}/`,
      without: 'network',
      instead: ['--network', 'host'],
    },
    {
      name: 'files of the host',
      script: `cat ${bench.path}/canary`,
      instead: ['-v', `${bench.path}:${bench.path}:ro`],
    },
    { name: 'a writable image', script: 'touch /open/made && echo REACHED', without: 'root' },
    {
      name: 'capabilities',
      script: "grep -q '^CapBnd:.*[1-9a-f]' /proc/self/status && echo REACHED",
      without: 'capabilities',
    },
    {
      name: 'new privileges',
      script: "grep -q '^NoNewPrivs:.0' /proc/self/status && echo REACHED",
      without: 'privileges',
    },
    {
      name: 'more processes than allowed',
      script: 'i=0; while [ $i -lt 40 ]; do sleep 20 & i=$((i+1)); done; echo REACHED; busybox killall sleep',
      without: 'processes',
    },
    {
      name: 'more memory than allowed',
      script: '[ "$(head -c 150000000 /dev/zero | tail -n 1 | busybox wc -c)" = 150000000 ] && echo REACHED',
      without: 'memory',
    },
    {
      name: 'keys in the workspace',
      script: `cat ${bench.root}/deep/.ssh/id_ed25519 ${bench.root}/.aws/credentials ${bench.root}/.env`,
      instead: ['-v', `${bench.root}:${bench.root}`],
    },
    {
      name: 'keys in a folder that was moved before',
      first: `mv ${bench.root}/deep ${bench.root}/moved`,
      script: `cat ${bench.root}/moved/.ssh/id_ed25519`,
      instead: ['-v', `${bench.root}:${bench.root}`],
    },
    {
      name: 'the environment of the host',
      script: `env | grep -q ${canary} && echo REACHED`,
      instead: ['--env', variable],
    },
  ];

  test.each(names)('a container cannot get %s, and can with one layer less', async (name) => {
    const attempt = attempts().find((it) => it.name === name) as Attempt;
    const { first, script, without, instead = [] } = attempt;
    if (first !== undefined) await run('box/run', first);
    expect(await run('box/run', script)).not.toContain('REACHED');
    putBack();
    if (first !== undefined) await control(first, without, instead);
    expect(await control(script, without, instead), 'control').toContain('REACHED');
    putBack();
  });

  test('no process inside is root or in a group of root', async () => {
    expect(await run('box/run', 'id -u; id -g; id -G')).toBe(JSON.stringify('65533\n65533\n65533\n'));
  });

  test('a secret is in the environment of the container but in no process list', async () => {
    await bench.host.secrets.set({
      package: 'keep',
      slot: 'KEPT_VALUE',
      value: token,
      audience: { kind: 'any' },
      by: 'test',
    });
    const shown = () =>
      readdirSync('/proc').filter(
        (it) => /^\d+$/.test(it) && it !== String(process.pid) && commandOf(it).includes(token),
      );
    const open = await bench.session({ policy: { containers: { engine: containerBench.engine } } });
    const stop = new AbortController();
    const script = 'sleep 60';
    const call = open.call({ tool: 'keep/run', arguments: { script }, signal: stop.signal });
    await until(() => containerBench.podman('ps', '--format', '{{.Command}}').stdout.includes('sleep 60'));
    expect(shown()).toEqual([]);
    stop.abort();
    expect((await failureOf(call)).code).toBe('canceled');
    expect(await run('keep/run', 'busybox expr length "$KEPT_VALUE"')).toContain(String(token.length));
    // Control: as an argument, it would be visible to every user.
    const { spawn } = await import('node:child_process');
    const child = spawn('/bin/sh', ['-c', 'read -r a', 'x', `KEPT_VALUE=${token}`], {
      stdio: ['pipe', 'ignore', 'ignore'],
      uid: 65533,
      gid: 65533,
    });
    await until(() => shown().length === 1);
    child.stdin.end();
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process already exited.
    return '';
  }
}
