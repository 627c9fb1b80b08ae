import { describe, expect, test } from 'vitest';
import { seatbeltProfile } from './seatbelt.js';

const paths = { runtimes: ['/opt/python'], temporary: '/private/var/tool', relayPort: 3128 };
const nothing = { mounts: [], hidden: [], egress: null };

describe('the Seatbelt profile', () => {
  test('of a command without mounts and network allows only the system and its temporary folder', () => {
    expect(seatbeltProfile(nothing, paths)).toMatchInlineSnapshot(`
      "(version 1)
      (deny default)
      (allow process-fork)
      (allow process-exec
        (subpath "/usr/bin")
        (subpath "/usr/libexec")
        (subpath "/bin")
        (subpath "/opt/python"))
      (allow signal (target same-sandbox))
      (allow sysctl-read
        (sysctl-name-prefix "hw.")
        (sysctl-name-prefix "machdep.cpu.")
        (sysctl-name-prefix "kern.os")
        (sysctl-name-prefix "kern.argmax")
        (sysctl-name-prefix "kern.maxfilesperproc")
        (sysctl-name-prefix "vm.loadavg"))
      (allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
      (allow file-read-metadata
        (literal "/System")
        (literal "/opt")
        (literal "/private")
        (literal "/private/var")
        (literal "/usr"))
      (allow file-read*
        (subpath "/System/Library")
        (subpath "/usr/lib")
        (subpath "/usr/share")
        (subpath "/usr/bin")
        (subpath "/usr/libexec")
        (subpath "/bin")
        (subpath "/opt/python")
        (subpath "/private/var/tool")
        (literal "/")
        (literal "/dev/null")
        (literal "/dev/zero")
        (literal "/dev/random")
        (literal "/dev/urandom")
        (literal "/private/etc/localtime"))
      (allow file-write*
        (subpath "/private/var/tool")
        (literal "/dev/null"))
      "
    `);
  });

  test('of a command with mounts, a hidden path and an egress proxy allows exactly these', () => {
    const command = {
      mounts: [
        { source: '/Users/ann/work', target: '/Users/ann/work', writable: true },
        { source: '/Users/ann/tool', target: '/app', writable: false },
      ],
      hidden: ['/Users/ann/work/.ssh'],
      egress: '/private/var/egress.sock',
    };
    expect(seatbeltProfile(command, paths)).toMatchInlineSnapshot(`
      "(version 1)
      (deny default)
      (allow process-fork)
      (allow process-exec
        (subpath "/usr/bin")
        (subpath "/usr/libexec")
        (subpath "/bin")
        (subpath "/opt/python")
        (subpath "/Users/ann/work")
        (subpath "/Users/ann/tool"))
      (allow signal (target same-sandbox))
      (allow sysctl-read
        (sysctl-name-prefix "hw.")
        (sysctl-name-prefix "machdep.cpu.")
        (sysctl-name-prefix "kern.os")
        (sysctl-name-prefix "kern.argmax")
        (sysctl-name-prefix "kern.maxfilesperproc")
        (sysctl-name-prefix "vm.loadavg"))
      (allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
      (allow file-read-metadata
        (literal "/System")
        (literal "/Users")
        (literal "/Users/ann")
        (literal "/opt")
        (literal "/private")
        (literal "/private/var")
        (literal "/usr"))
      (allow file-read*
        (subpath "/System/Library")
        (subpath "/usr/lib")
        (subpath "/usr/share")
        (subpath "/usr/bin")
        (subpath "/usr/libexec")
        (subpath "/bin")
        (subpath "/opt/python")
        (subpath "/Users/ann/work")
        (subpath "/Users/ann/tool")
        (subpath "/private/var/tool")
        (literal "/")
        (literal "/dev/null")
        (literal "/dev/zero")
        (literal "/dev/random")
        (literal "/dev/urandom")
        (literal "/private/etc/localtime"))
      (allow file-write*
        (subpath "/Users/ann/work")
        (subpath "/private/var/tool")
        (literal "/dev/null"))
      (allow network-outbound
        (literal "/private/var/egress.sock")
        (remote ip "localhost:3128"))
      (allow network-bind network-inbound
        (local ip "localhost:3128"))
      (deny file-read* file-write* process-exec
        (subpath "/Users/ann/work/.ssh"))
      "
    `);
  });

  test('denies hidden paths last, because the last matching rule decides', () => {
    const text = seatbeltProfile(
      { ...nothing, mounts: [{ source: '/w', target: '/w', writable: true }], hidden: ['/w/.ssh'] },
      paths,
    );
    expect(text.trimEnd().split('\n').slice(-2)).toEqual([
      '(deny file-read* file-write* process-exec',
      '  (subpath "/w/.ssh"))',
    ]);
  });

  test('quotes a path, so that it cannot become a rule', () => {
    const source = '/w/") (allow default) ("\\';
    const text = seatbeltProfile({ ...nothing, mounts: [{ source, target: '/w', writable: false }] }, paths);
    expect(text).toContain('(subpath "/w/\\") (allow default) (\\"\\\\")');
    // Without the strings, no such rule is left.
    expect(text.replace(/"(?:[^"\\]|\\.)*"/g, '""')).not.toContain('allow default');
  });

  test.each(['relative', '/a/../b', '/a/', '/a\nb', '/a\u0000', ''])('rejects the path %j', (source) => {
    expect(() =>
      seatbeltProfile({ ...nothing, mounts: [{ source, target: '/w', writable: false }] }, paths),
    ).toThrow(/cannot be written into a sandbox profile/);
  });
});
