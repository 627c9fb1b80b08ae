// Programs of the system that the start set and the tests use: which of them are missing, and how to install them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Major versions, the newest first. */
const postgresVersions = [18, 17, 16, 15, 14];

/** @typedef {'start' | 'tests' | 'root-tests'} Use */

/**
 * Packages are those of Debian. `for`: who cannot work without the program. Tests that can name what is missing and leave
 * themselves out are "root-tests" only: as root, nothing may be left out.
 * @type {readonly { paths: readonly string[], package: string, purpose: string, for: readonly Use[] }[]}
 */
const programs = [
  {
    paths: ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'],
    package: 'bubblewrap',
    purpose: 'the sandbox: without it no tool runs',
    for: ['start', 'tests', 'root-tests'],
  },
  {
    paths: ['/usr/bin/prlimit'],
    package: 'util-linux',
    purpose: 'the limits of the sandbox: without it no tool runs',
    for: ['start', 'tests', 'root-tests'],
  },
  {
    paths: ['/usr/bin/python3', '/usr/local/bin/python3'],
    package: 'python3',
    purpose: 'tools that are written in Python',
    for: ['start', 'tests', 'root-tests'],
  },
  {
    paths: ['/usr/bin/pip3', '/usr/local/bin/pip3'],
    package: 'python3-pip',
    purpose: 'toolwharf install, for tools that use Python packages',
    for: ['start', 'tests', 'root-tests'],
  },
  only('/usr/sbin/nats-server', 'nats-server', 'tests', 'root-tests'),
  only('/usr/bin/curl', 'curl', 'tests', 'root-tests'),
  only('/usr/bin/secret-tool', 'libsecret-tools', 'root-tests'),
  only('/usr/bin/gnome-keyring-daemon', 'gnome-keyring', 'root-tests'),
  only('/usr/bin/dbus-run-session', 'dbus', 'root-tests'),
  only('/usr/bin/setpriv', 'util-linux', 'root-tests'),
  only('/usr/bin/zsh', 'zsh', 'root-tests'),
  only('/usr/bin/fish', 'fish', 'root-tests'),
  only('/usr/bin/chromium', 'chromium', 'root-tests'),
  only('/usr/bin/mandoc', 'mandoc', 'root-tests'),
  only('/usr/bin/strace', 'strace', 'root-tests'),
  only('/usr/bin/podman', 'podman', 'root-tests'),
  only('/usr/sbin/runc', 'runc', 'root-tests'),
  only('/usr/bin/docker-registry', 'docker-registry', 'root-tests'),
  only('/usr/bin/busybox', 'busybox-static', 'root-tests'),
  only('/usr/sbin/debootstrap', 'debootstrap', 'root-tests'),
  {
    ...only('/usr/lib/postgresql/15/bin/initdb', 'postgresql', 'root-tests'),
    paths: postgresVersions.map((it) => `/usr/lib/postgresql/${it}/bin/initdb`),
  },
];

function only(path, name, ...use) {
  return { paths: [path], package: name, purpose: 'tests', for: use };
}

/** @param {Use} use */
export function missingPrograms(use) {
  return programs.filter((it) => it.for.includes(use) && !it.paths.some((path) => existsSync(path)));
}

/** Only root installs, and only with apt-get: nothing asks for a password. */
export function mayInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** Installs what it can. The caller looks again at what is missing. */
export function installPackages(missing) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packagesOf(missing)]])
    spawnSync('/usr/bin/apt-get', ['-q', '-o', 'Acquire::Retries=3', ...args], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env,
    });
}

/** The one command that installs these programs. */
export function aptCommand(missing) {
  return `sudo apt-get install ${packagesOf(missing).join(' ')}`;
}

function packagesOf(missing) {
  return [...new Set(missing.map((it) => it.package))];
}
