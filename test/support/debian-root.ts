// A fresh Debian in a folder: made with debootstrap, entered with pivot_root in namespaces of its own. A chroot would not
// do: the kernel gives processes in a chroot no user namespaces, and without them there is no sandbox.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from './toolwharf.js';

const project = join(import.meta.dirname, '../..');

export interface DebianRoot {
  /** Its root folder, as this machine sees it. */
  readonly path: string;
  /** Runs a shell script as root in the copy of the project. All that it started ends with it. */
  run(script: string): Promise<{ readonly code: number | null; readonly output: string }>;
  remove(): void;
}

/** A Debian with these packages, with the Node and npm of this machine and a copy of this project in /opt/toolwharf. */
export function debianRoot(packages: readonly string[]): DebianRoot {
  const folder = temporaryFolder();
  const path = join(folder.path, 'root');
  const { suite, mirror } = aptSource();
  const options = ['--variant=minbase', `--include=${['ca-certificates', ...packages].join(',')}`];
  const made = spawnSync('/usr/sbin/debootstrap', [...options, suite, path, mirror], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`debootstrap failed: ${made.stdout.slice(-2000)}${made.stderr}`);
  // How this machine reaches the mirror, for example through a proxy.
  cpSync('/etc/apt/apt.conf.d', join(path, 'etc/apt/apt.conf.d'), { recursive: true });
  cpSync('/etc/resolv.conf', join(path, 'etc/resolv.conf'), { dereference: true });
  const inside = join(path, 'opt/toolwharf');
  mkdirSync(join(inside, 'node_modules'), { recursive: true });
  for (const it of readdirSync(project).filter((it) => !['.git', 'node_modules', 'test'].includes(it)))
    cpSync(join(project, it), join(inside, it), { recursive: true });
  return {
    path,
    run: (script) => run(path, script),
    remove: () => spawnSync('/bin/rm', ['-rf', '--one-file-system', folder.path]),
  };
}

const enter = `set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
cd "$ROOT"
mkdir -p old usr/lib/node_modules/npm
touch usr/bin/node
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount --bind "$NODE" usr/bin/node
mount --bind "$NPM" usr/lib/node_modules/npm
ln -sfn ../lib/node_modules/npm/bin/npm-cli.js usr/bin/npm
mount --bind "$MODULES" opt/toolwharf/node_modules
pivot_root . old
umount -l /old
cd /opt/toolwharf
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -c "$SCRIPT"`;

function run(path: string, script: string): ReturnType<DebianRoot['run']> {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const child = spawn('/usr/bin/unshare', [...namespaces, '/bin/sh', '-c', enter], {
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      ROOT: path,
      NODE: realpathSync(process.execPath),
      NPM: npmFolder(),
      MODULES: realpathSync(join(project, 'node_modules')),
      SCRIPT: script,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

function npmFolder(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      // …/npm/bin/npm-cli.js
      const program = realpathSync(join(folder, 'npm'));
      if (program.endsWith('npm-cli.js')) return dirname(dirname(program));
    } catch {
      // npm is in another folder.
    }
  }
  throw new Error('npm is not in PATH');
}

/** The release and the mirror of this machine. */
function aptSource(): { suite: string; mirror: string } {
  const suite = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  const listed = spawnSync('/usr/bin/apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)'], {
    encoding: 'utf8',
  });
  const line = listed.stdout.split('\n').find((it) => it.startsWith(`${suite} `));
  return { suite, mirror: line?.slice(suite.length + 1) ?? 'http://deb.debian.org/debian' };
}
