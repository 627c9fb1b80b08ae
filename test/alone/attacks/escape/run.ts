import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bubblewrap } from '../../../../src/sandbox/bubblewrap/bubblewrap.js';
import {
  defaultSandboxLimits,
  type Mount,
  type ProcessExit,
  type Sandbox,
  type SandboxCommand,
  type SandboxLimits,
} from '../../../../src/sandbox/sandbox.js';
import type { Attempt, Language, Layer, Limit, Place, Workspace } from './attempt.js';

export const isRoot = process.getuid?.() === 0;

/** The user for controls: the user of sandboxed processes on this machine, never root. */
export function unprivileged(sandbox: Sandbox): { uid?: number; gid?: number } {
  return isRoot ? sandbox.user : {};
}

const interpreters: Record<Language, readonly string[]> = {
  python: ['/usr/bin/python3', '-I', '-c'],
  node: ['/usr/bin/node', '-e'],
  shell: ['/usr/bin/bash', '-c'],
};

/** Every script prints that it began, because a script that did not run proves nothing. */
const begin: Record<Language, string> = {
  python: 'print("BEGAN", flush=True)\n',
  node: 'console.log("BEGAN");\n',
  shell: 'echo BEGAN\n',
};

export function argvOf(language: Language, code: string): string[] {
  return [...interpreters[language], begin[language] + code];
}

export function commandOf(language: Language, code: string): SandboxCommand {
  return {
    argv: argvOf(language, code),
    directory: '/tmp',
    environment: { PATH: '/usr/bin:/bin' },
    mounts: [],
    hidden: [],
    limits: { ...defaultSandboxLimits, cpuSeconds: 20 },
    limitAddressSpace: language === 'python',
    egress: null,
  };
}

const highLimits: Record<Limit, Partial<SandboxLimits>> = {
  'process limit': { processes: 4096 },
  'memory limit': { memoryBytes: 4 * 1024 ** 3 },
  'disk limit': { diskBytes: 1024 ** 3 },
  'CPU time limit': { cpuSeconds: 60 },
  'open file limit': { openFiles: 1024 },
};

function isLimit(layer: Layer): layer is Limit {
  return Object.hasOwn(highLimits, layer);
}

/** Runs attempts with and without the sandbox, in subfolders of a folder of the test. */
export class Runner {
  readonly sandbox: Sandbox = bubblewrap();
  /** In the environment of every sandboxed process. */
  readonly mark = `TOOLWHARF_ESCAPE=${process.pid}.`;
  private readonly weaker = new Map<Layer, Sandbox>();

  constructor(
    private readonly folder: string,
    private readonly place: Place,
  ) {}

  confined(attempt: Attempt): Promise<string> {
    return this.inside(this.sandbox, attempt, (command) => command);
  }

  unconfined(attempt: Attempt): Promise<string> {
    const root = attempt.workspace === undefined ? '' : this.workspace();
    return this.outside(argvOf(attempt.language, attempt.code(this.place, root)), attempt.environment);
  }

  /** Runs an ordinary process as the user of sandboxed processes. */
  outside(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const child = spawn(argv[0] as string, argv.slice(1), {
      ...unprivileged(this.sandbox),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return textOf(child);
  }

  without(layer: Layer, attempt: Attempt): Promise<string> {
    if (layer === 'hidden key material') {
      return this.inside(this.sandbox, attempt, (it) => ({ ...it, hidden: [] }));
    }
    if (isLimit(layer)) {
      const limits = { ...commandOf(attempt.language, '').limits, ...attempt.limits, ...highLimits[layer] };
      return this.inside(this.sandbox, attempt, (it) => ({ ...it, limits }));
    }
    const known = this.weaker.get(layer) ?? bubblewrap({ program: weakened(layer, this.folder) });
    this.weaker.set(layer, known);
    return this.inside(known, attempt, (it) => it);
  }

  private async inside(
    sandbox: Sandbox,
    attempt: Attempt,
    change: (command: SandboxCommand) => SandboxCommand,
  ): Promise<string> {
    const root = attempt.workspace === undefined ? '' : this.workspace();
    const usual = commandOf(attempt.language, attempt.code(this.place, root));
    const { text } = await finished(
      sandbox,
      change({
        ...usual,
        environment: { ...usual.environment, ...Object.fromEntries([this.mark.split('=')]) },
        mounts: [...(attempt.mounts?.(this.place) ?? []), ...mountsOf(root, attempt.workspace)],
        hidden: (attempt.workspace?.hidden ?? []).map((it) => join(root, it)),
        limits: { ...usual.limits, ...attempt.limits },
        limitAddressSpace: attempt.limitAddressSpace ?? usual.limitAddressSpace,
      }),
    );
    return text;
  }

  /** A folder of the unprivileged user with a project, key material and links in it. */
  private workspace(): string {
    const outer = mkdtempSync(join(this.folder, 'mounted-'));
    const root = join(outer, 'root');
    const { uid, gid } = this.sandbox.user;
    const own = (path: string) => {
      if (isRoot) chownSync(path, uid, gid);
    };
    for (const it of ['root', 'root/.ssh', 'root/home', 'root/home/.ssh']) {
      mkdirSync(join(outer, it));
      own(join(outer, it));
    }
    own(outer);
    for (const it of ['beside.txt', 'root/.ssh/id', 'root/home/.ssh/id', 'root/.netrc', 'root/file.txt']) {
      writeFileSync(join(outer, it), 'REACHED\n', { mode: 0o644 });
      own(join(outer, it));
    }
    symlinkSync(this.place.secret, join(root, 'link'));
    symlinkSync('.ssh', join(root, 'keys'));
    chmodSync(outer, 0o755);
    return root;
  }
}

function mountsOf(root: string, workspace: Workspace | undefined): Mount[] {
  if (workspace === undefined) return [];
  const also = workspace.also?.(root);
  return [
    { source: root, target: root, writable: workspace.writable },
    ...(also === undefined ? [] : [also]),
  ];
}

export interface Finished {
  readonly text: string;
  readonly exit: ProcessExit;
}

/** Runs a sandboxed process until it exits, or kills it after a time. */
export async function finished(
  sandbox: Sandbox,
  command: SandboxCommand,
  milliseconds = 20_000,
): Promise<Finished> {
  const child = sandbox.spawn(command);
  const timer = setTimeout(() => child.kill(), milliseconds);
  child.stdin.end();
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  const exit = await child.exited;
  clearTimeout(timer);
  return { text, exit };
}

/** All output of a process, after it exited. */
export function textOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        text += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

/** A replacement for bubblewrap that removes one layer from its arguments and is otherwise the same. */
function weakened(layer: Layer, folder: string): string {
  const removed: Partial<Record<Layer, string>> = {
    'system call filter': 'args[at] == "--seccomp"',
    'read-only root': 'args[at:at + 2] == ["--remount-ro", "/"]',
    'read-only /dev': 'args[at:at + 2] == ["--remount-ro", "/dev"]',
  };
  const path = join(folder, 'weaker', layer.replaceAll(/[^a-z]+/g, '-'));
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o755);
  const script = `#!/usr/bin/python3 -I
import os, sys
with open(3, closefd=False) as file:
    args = file.read().split("\\0")[:-1]
kept, at = [], 0
while at < len(args):
    if ${removed[layer]}:
        at += 2
    else:
        kept.append(args[at])
        at += 1
assert len(kept) == len(args) - 2
file = os.memfd_create("arguments")
os.write(file, "".join(it + "\\0" for it in kept).encode())
os.lseek(file, 0, 0)
os.dup2(file, 3)
os.execv("/usr/bin/bwrap", ["bwrap", *sys.argv[1:]])
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}
