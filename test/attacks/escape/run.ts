import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bubblewrap } from '../../../src/sandbox/bubblewrap.js';
import {
  defaultLimits,
  type Exit,
  type Limits,
  type Mount,
  type Sandbox,
  type SandboxCommand,
} from '../../../src/sandbox/sandbox.js';
import type { Attempt, Bound, Language, Layer, Place, Workspace } from './attempt.js';

export const isRoot = process.getuid?.() === 0;

/** Who runs the controls: the user that confined processes are on this machine, and never root. */
export function unprivileged(sandbox: Sandbox): { uid?: number; gid?: number } {
  return isRoot ? sandbox.user : {};
}

const interpreters: Record<Language, readonly string[]> = {
  python: ['/usr/bin/python3', '-I', '-c'],
  node: ['/usr/bin/node', '-e'],
  shell: ['/usr/bin/bash', '-c'],
};

/** Every script says that it began: one that never ran has shown nothing. */
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
    limits: { ...defaultLimits, cpuSeconds: 20 },
    boundAddressSpace: language === 'python',
    egress: null,
  };
}

const plenty: Record<Bound, Partial<Limits>> = {
  'bound on processes': { processes: 4096 },
  'bound on memory': { memoryBytes: 4 * 1024 ** 3 },
  'bound on the disk': { diskBytes: 1024 ** 3 },
  'bound on time': { cpuSeconds: 60 },
  'bound on files': { openFiles: 1024 },
};

function isBound(layer: Layer): layer is Bound {
  return Object.hasOwn(plenty, layer);
}

/** Runs attempts with and without the sandbox, in folders made below one of the test's own. */
export class Runner {
  readonly sandbox: Sandbox = bubblewrap();
  /** In the environment of every process that is started confined. */
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

  /** An ordinary process of the user that confined ones are outside. */
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
    if (layer === 'covers over key material') {
      return this.inside(this.sandbox, attempt, (it) => ({ ...it, hidden: [] }));
    }
    if (isBound(layer)) {
      const limits = { ...commandOf(attempt.language, '').limits, ...attempt.limits, ...plenty[layer] };
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
        mounts: [...(attempt.mounts?.(this.place) ?? []), ...lent(root, attempt.workspace)],
        hidden: (attempt.workspace?.hidden ?? []).map((it) => join(root, it)),
        limits: { ...usual.limits, ...attempt.limits },
        boundAddressSpace: attempt.boundAddressSpace ?? usual.boundAddressSpace,
      }),
    );
    return text;
  }

  /** A folder of the unprivileged user with a project, key material and links in it. */
  private workspace(): string {
    const outer = mkdtempSync(join(this.folder, 'lent-'));
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

function lent(root: string, workspace: Workspace | undefined): Mount[] {
  if (workspace === undefined) return [];
  const also = workspace.also?.(root);
  return [
    { source: root, target: root, writable: workspace.writable },
    ...(also === undefined ? [] : [also]),
  ];
}

export interface Finished {
  readonly text: string;
  readonly exit: Exit;
}

/** Runs a confined process to its end, or ends it. */
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

/** Everything that a process says, when it has ended. */
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

/** A program in place of bubblewrap that leaves one layer out of its arguments and is otherwise the same. */
function weakened(layer: Layer, folder: string): string {
  const left: Partial<Record<Layer, string>> = {
    'system call filter': 'words[at] == "--seccomp"',
    'read-only root': 'words[at:at + 2] == ["--remount-ro", "/"]',
    'read-only /dev': 'words[at:at + 2] == ["--remount-ro", "/dev"]',
  };
  const path = join(folder, 'weaker', layer.replaceAll(/[^a-z]+/g, '-'));
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o755);
  const script = `#!/usr/bin/python3 -I
import os, sys
with open(3, closefd=False) as file:
    words = file.read().split("\\0")[:-1]
kept, at = [], 0
while at < len(words):
    if ${left[layer]}:
        at += 2
    else:
        kept.append(words[at])
        at += 1
assert len(kept) == len(words) - 2
file = os.memfd_create("arguments")
os.write(file, "".join(it + "\\0" for it in kept).encode())
os.lseek(file, 0, 0)
os.dup2(file, 3)
os.execv("/usr/bin/bwrap", ["bwrap", *sys.argv[1:]])
`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}
