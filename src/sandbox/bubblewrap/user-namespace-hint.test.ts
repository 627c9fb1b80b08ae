import { expect, test } from 'vitest';
import { userNamespaceHint } from './user-namespace-hint.js';

const machine = (settings: Record<string, string>) => (path: string) => settings[path] ?? null;

test.each([
  [{ '/proc/sys/kernel/unprivileged_userns_clone': '0\n' }, 'sysctl -w kernel.unprivileged_userns_clone=1'],
  [{ '/proc/sys/user/max_user_namespaces': '0\n' }, 'sysctl -w user.max_user_namespaces'],
  [{ '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n' }, '/etc/apparmor.d/bwrap'],
  [{ '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '0\n' }, 'try: bwrap'],
  [{}, 'try: bwrap'],
] as const)('the hint for the kernel settings %j names the command that helps', (settings, command) => {
  expect(userNamespaceHint(machine(settings))).toContain(command);
});
