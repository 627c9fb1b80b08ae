import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import { engineEnvironment } from './engine.js';

/** On record: containers that run, so that none outlives its host for long. */
export interface Keeper {
  /** Whether the last host left any. */
  readonly left: boolean;
  /** `removal`: the words of a command that removes a container. */
  started(name: string, removal: readonly string[]): void;
  ended(name: string): void;
}

/**
 * Reads "+NAME" and "-NAME" lines; the end of its input is the end of the host, however it ends. Containers have another
 * parent than the host, so the kernel ends none of them with it. Its arguments are the words that remove one.
 */
const script = `
l=' '
while read -r a; do
  case $a in
    +*) l="$l\${a#+} " ;;
    -*) p=\${a#-}; l="\${l%% $p *} \${l#* $p }" ;;
  esac
done
for p in $l; do "$@" "$p" >/dev/null 2>&1; done
exit 0
`;

/** `path` is the file of the record: a host that was killed together with its reaper leaves lines in it. */
export function openKeeper(path: string): Keeper {
  const left = linesOf(path).length > 0;
  const running = new Set<string>();
  let tell: ((line: string) => void) | undefined;
  const reaper = (removal: readonly string[]) => {
    const child = spawn('/bin/sh', ['-c', script, 'reaper', ...removal], {
      cwd: '/',
      env: engineEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.unref();
    (child.stdin as unknown as { unref(): void }).unref();
    return (line: string) => void child.stdin.write(line);
  };
  const write = (work: () => void) => {
    try {
      work();
    } catch (error) {
      throw new HostError('state_unusable', `the record of containers ${path} cannot be written`, {
        cause: error,
        hint: 'check who owns the state directory, and that the disk is not full',
      });
    }
  };
  return {
    left,
    started(name, removal) {
      // What is on no record must not run.
      write(() => appendFileSync(path, `${name}\n`, { mode: 0o600 }));
      running.add(name);
      tell ??= reaper(removal);
      tell(`+${name}\n`);
    },
    ended(name) {
      if (!running.delete(name)) return;
      tell?.(`-${name}\n`);
      if (running.size === 0) write(() => writeFileSync(path, ''));
    },
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((it) => it !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new HostError('state_unusable', `the record of containers ${path} cannot be read`, {
      cause: error,
    });
  }
}
