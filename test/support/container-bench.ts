// A container engine with its own store in a temporary folder, and a local image. Nothing is fetched.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/index.js';
import { temporaryFolder } from './toolwharf.js';

const podman = '/usr/bin/podman';
const busybox = '/usr/bin/busybox';
const applets = [
  'sh',
  'cat',
  'echo',
  'env',
  'id',
  'ls',
  'nc',
  'sleep',
  'touch',
  'wget',
  'grep',
  'mkdir',
  'mv',
  'tail',
  'head',
];
/** Runtimes to try, the engine's default first: it does not work with mixed control group versions. */
const runtimes = ['', ' --runtime /usr/sbin/runc', ' --runtime /usr/bin/runc'];

export interface ContainerBench {
  /** Path for the setting `container.engine`. Its store is removed after the test. */
  readonly engine: string;
  /** Path of the same engine without a `--runtime` option. */
  readonly bare: string;
  /** Name and digest of an image that contains a shell. */
  readonly image: string;
  readonly folder: string;
  podman(...args: string[]): { code: number | null; stdout: string; stderr: string };
  /** Runs podman without blocking this process, which must answer it meanwhile. Returns its output. */
  aside(...args: string[]): Promise<string>;
  /** Names of all containers, running or not. */
  containers(): string[];
  remove(): void;
}

/** Sets up the engine. `skipped` says for the title of the tests what is missing here, or is empty. */
export function openContainerBench(): { readonly containerBench: ContainerBench; readonly skipped: string } {
  const absent = {} as ContainerBench;
  const missing = [podman, busybox].filter((it) => !existsSync(it));
  if (missing.length > 0) return { containerBench: absent, skipped: ` (needs ${missing.join(' and ')})` };
  try {
    return { containerBench: createContainerBench(), skipped: '' };
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    return { containerBench: absent, skipped: ` (needs containers: ${reason.replace(/[()]/g, '')})` };
  }
}

function createContainerBench(): ContainerBench {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('image/bin'), { recursive: true });
  copyFileSync(busybox, at('image/bin/busybox'));
  chmodSync(at('image/bin/busybox'), 0o755);
  // A folder in the image that every user may write to.
  mkdirSync(at('image/open'));
  chmodSync(at('image/open'), 0o777);
  for (const it of applets) symlinkSync('busybox', at(`image/bin/${it}`));
  spawnSync('/bin/tar', ['-C', at('image'), '-cf', at('image.tar'), '.']);
  const write = (name: string, more: string) => {
    const args = `--root ${at('store')} --runroot ${at('run')}${more}`;
    writeFileSync(at(name), `#!/bin/sh\nexec ${podman} ${args} "$@"\n`);
    chmodSync(at(name), 0o755);
    return at(name);
  };
  const bare = write('bare-engine', '');
  const run = (engine: string, args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(engine, args, {
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    return { code: status, stdout, stderr };
  };
  const name = 'localhost/toolwharf-test';
  run(bare, ['import', '-q', at('image.tar'), `${name}:1`]);
  const digest = run(bare, ['image', 'inspect', '--format', '{{.Digest}}', `${name}:1`]).stdout.trim();
  const remove = () => {
    run(bare, ['rm', '--all', '--force', '--time', '0']);
    // The engine bind-mounts its store on itself, and needs a moment to clean up after a container.
    for (let left = 20; left > 0 && existsSync(folder.path); left -= 1) {
      spawnSync('/bin/umount', ['--lazy', at('store/overlay')]);
      spawnSync('/bin/rm', ['-rf', '--one-file-system', folder.path]);
    }
  };
  const trial = [
    'run',
    '--rm',
    '--network',
    'none',
    '--ulimit',
    'nproc=4096:4096',
    '--ulimit',
    'nofile=256:256',
    '--pull',
    'never',
    `${name}:1`,
  ];
  let firstError = '';
  for (const more of runtimes) {
    const engine = write('engine', more);
    const tried = run(engine, [...trial, '/bin/busybox', 'true']);
    firstError ||= tried.stderr.trim();
    if (tried.code !== 0) continue;
    return {
      engine,
      bare,
      image: `${name}@${digest}`,
      folder: folder.path,
      podman: (...args) => run(engine, args),
      aside: (...args) =>
        new Promise((resolve) => {
          const child = spawn(engine, args, {
            stdio: ['ignore', 'pipe', 'ignore'],
            timeout: 20_000,
            killSignal: 'SIGKILL',
          });
          let output = '';
          child.stdout.on('data', (chunk) => {
            output += chunk;
          });
          child.once('close', () => resolve(output));
        }),
      containers: () =>
        run(engine, ['ps', '-a', '--format', '{{.Names}}'])
          .stdout.split('\n')
          .filter((it) => it !== ''),
      remove,
    };
  }
  remove();
  throw new Error(`podman cannot start a container here: ${firstError}`);
}

const page = 'https://example.com/tool';

export interface ContainerPackage {
  readonly id: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly actions: readonly JsonObject[];
  readonly env?: readonly JsonObject[];
  readonly scopes?: readonly JsonObject[];
  readonly kind?: 'container' | 'mcp-stdio';
}

/** A Toolspace manifest whose program is a container image. */
export function containerPackage(of: ContainerPackage): string {
  const { id, image, command, actions, env, scopes, kind = 'container' } = of;
  return JSON.stringify({
    manifest_version: '0.2',
    tool: { id, version: '1.0.0', name: id, summary: 'A tool of a test.', homepage: page, license: 'MIT' },
    runtime: {
      kind,
      install: { method: 'container', image },
      ...(command === undefined ? {} : { entrypoint: { command } }),
    },
    ...(env === undefined ? {} : { env }),
    ...(scopes === undefined ? {} : { scopes }),
    actions: actions.map((it) => ({
      summary: 'Do one thing.',
      side_effects: 'none',
      idempotent: true,
      ...it,
    })),
    smoke: { kind: 'shell', command: ['true'], success: { exit_code: 0 } },
    kill_switch: { kind: 'manual', instructions_url: page },
  });
}

/** An action that runs any script in a shell, as an attacker would. */
export const shellAction: JsonObject = {
  name: 'run',
  invocation: { kind: 'subcommand', argv_template: ['-c', '${input.script}'] },
  input: {
    type: 'object',
    properties: { script: { type: 'string' } },
    required: ['script'],
    additionalProperties: false,
  },
};
