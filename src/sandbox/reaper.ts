import { spawn } from 'node:child_process';

/** Told of every process group that runs; ends those that are left when this process ends, however it ends. */
export interface Reaper {
  watch(group: number): void;
  forget(group: number): void;
}

/**
 * Reads "+GROUP" and "-GROUP" lines; the end of its input is the end of the host. The kernel's parent-death signal
 * does the same a moment later, but a process that is still being set up has not asked for it yet.
 */
const script = `
l=' '
while read -r a; do
  case $a in
    +*) l="$l\${a#+} " ;;
    -*) p=\${a#-}; l="\${l%% $p *} \${l#* $p }" ;;
  esac
done
for p in $l; do kill -9 -"$p" 2>/dev/null; done
exit 0
`;

/** Runs as the user of the confined processes, in a session of its own; started when it is first needed. */
export function startReaper(user: { readonly uid: number; readonly gid: number } | undefined): Reaper {
  let tell: ((line: string) => void) | undefined;
  const start = () => {
    const child = spawn('/bin/sh', ['-c', script], {
      ...user,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    return (line: string) => void child.stdin.write(line);
  };
  const say = (line: string) => {
    tell ??= start();
    tell(line);
  };
  return {
    watch: (group) => say(`+${group}\n`),
    forget: (group) => say(`-${group}\n`),
  };
}
