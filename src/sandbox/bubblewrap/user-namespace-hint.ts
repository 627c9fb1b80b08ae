/** Reads a small system file; null if it does not exist. */
export type ReadSetting = (path: string) => string | null;

const profile = [
  'abi <abi/4.0>,',
  'include <tunables/global>',
  'profile bwrap /usr/bin/bwrap flags=(unconfined) {',
  '  userns,',
  '}',
];

/** The command that makes the sandbox work on this machine, derived from the kernel settings that may block it. */
export function userNamespaceHint(read: ReadSetting): string {
  if (read('/proc/sys/kernel/unprivileged_userns_clone')?.trim() === '0')
    return 'allow user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1';
  if (read('/proc/sys/user/max_user_namespaces')?.trim() === '0')
    return 'allow user namespaces: sudo sysctl -w user.max_user_namespaces=15000';
  if (read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')?.trim() === '1') {
    const text = profile.map((it) => `'${it}'`).join(' ');
    return `give bubblewrap an AppArmor profile: printf '%s\\n' ${text} | sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor`;
  }
  return 'user namespaces may be disabled on this machine or in its container; try: bwrap --unshare-user --ro-bind / / true';
}
