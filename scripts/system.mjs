// Checks that the programs which the tests need are on this machine. As root with apt-get it installs them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const needed = [
  { program: '/usr/bin/bwrap', package: 'bubblewrap' },
  { program: '/usr/bin/prlimit', package: 'util-linux' },
  { program: '/usr/bin/python3', package: 'python3' },
  { program: '/usr/bin/setpriv', package: 'util-linux' },
  { program: '/usr/bin/pip3', package: 'python3-pip' },
  { program: '/usr/sbin/nats-server', package: 'nats-server' },
  { program: '/usr/bin/secret-tool', package: 'libsecret-tools' },
  { program: '/usr/bin/gnome-keyring-daemon', package: 'gnome-keyring' },
  { program: '/usr/bin/dbus-run-session', package: 'dbus' },
  { program: '/usr/bin/podman', package: 'podman' },
  { program: '/usr/sbin/runc', package: 'runc' },
  { program: '/usr/bin/busybox', package: 'busybox-static' },
];

const missing = () => needed.filter((it) => !existsSync(it.program));

if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  const packages = [...new Set(missing().map((it) => it.package))];
  console.log(`installing ${packages.join(', ')}`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    spawnSync('apt-get', ['-q', ...args], { stdio: 'inherit', env: environment });
  }
}
const left = missing();
if (left.length > 0) {
  console.error(`these programs are missing: ${left.map((it) => it.program).join(', ')}`);
  console.error(`install them: sudo apt-get install ${[...new Set(left.map((it) => it.package))].join(' ')}`);
  process.exit(1);
}
