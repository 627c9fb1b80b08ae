import type { Check } from '../host.js';

/** Facts about the machine that are known without testing anything. */
export interface MachineFacts {
  readonly platform: string;
  readonly arch: string;
  readonly node: { readonly path: string; readonly version: string };
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Text of a small file; undefined if it does not exist. */
  readFile(path: string): string | undefined;
}

/** The last day of support for each major version of Node. */
const nodeSupport: Readonly<Record<number, string>> = {
  18: '2025-04-30',
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

/** Major and minor version. */
const oldestNode = [20, 19] as const;
/** Warn this long before support ends. */
const soonMs = 60 * 24 * 3_600_000;

export function checkNode({ node, now }: MachineFacts): Check {
  const [major = 0, minor = 0] = node.version.split('.').map(Number);
  const fix = 'nvm install 24';
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    const message = `Node ${node.version} is too old; ${oldestNode.join('.')} or newer is needed`;
    return { id: 'node', status: 'fail', message, fix };
  }
  const end = nodeSupport[major];
  if (end === undefined) return { id: 'node', status: 'ok', message: `Node ${node.version}` };
  const left = Date.parse(`${end}T23:59:59Z`) - now;
  if (left < 0)
    return {
      id: 'node',
      status: 'warn',
      message: `Node ${node.version} has not been supported since ${end}`,
      fix,
    };
  if (left < soonMs)
    return {
      id: 'node',
      status: 'warn',
      message: `Node ${node.version} is supported only until ${end}`,
      fix,
    };
  return { id: 'node', status: 'ok', message: `Node ${node.version}, supported until ${end}` };
}

export function checkPlatform({ platform, arch }: MachineFacts): Check {
  const message = `${platform} on ${arch}`;
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64'))
    return { id: 'platform', status: 'ok', message };
  const fix = 'run Toolwharf on Linux with an x64 or arm64 processor';
  if (platform === 'darwin')
    return { id: 'platform', status: 'warn', message: `${message}: the sandbox is weaker here`, fix };
  return { id: 'platform', status: 'fail', message: `${message}: no sandbox is available for it`, fix };
}

/** Why user namespaces cannot be created, according to kernel settings; checked if the sandbox fails. */
export function checkNamespaces(machine: MachineFacts): Check | undefined {
  const read = (name: string) => machine.readFile(`/proc/sys/${name}`)?.trim();
  const fail = (message: string, fix: string): Check => ({
    id: 'sandbox.namespaces',
    status: 'fail',
    message,
    fix,
  });
  if (read('user/max_user_namespaces') === '0')
    return fail('user namespaces are disabled', 'sudo sysctl -w user.max_user_namespaces=10000');
  if (read('kernel/unprivileged_userns_clone') === '0')
    return fail(
      'only root may create user namespaces on this machine',
      'sudo sysctl -w kernel.unprivileged_userns_clone=1',
    );
  if (read('kernel/apparmor_restrict_unprivileged_userns') === '1')
    return fail(
      'AppArmor does not let bubblewrap create user namespaces, which is the default on Ubuntu 24.04',
      'sudo apt-get install apparmor-profiles && sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo systemctl reload apparmor',
    );
  return undefined;
}
