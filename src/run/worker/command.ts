import type { Runtime } from '../../model/program.js';
import { nodeWorker } from './node.js';
import { pythonWorker } from './python.js';

/** What comes after the interpreter to have it serve the functions of a file, named by its absolute path inside. */
export function workerArgs(language: Runtime['language'], entry: string): string[] {
  switch (language) {
    case 'node':
      // Where no package.json says which module system it is, the syntax does; that is no news.
      return [
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
        '--disable-warning=ExperimentalWarning',
        '-e',
        nodeWorker,
        entry,
      ];
    case 'python':
      return ['-c', pythonWorker, entry];
  }
}

/**
 * Moves both ends of the conversation to descriptors of their own before the interpreter starts. What the code and its
 * children print then goes to standard error, and standard input is empty.
 */
export function withChannel(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'exec "$0" "$@" 3>&1 4<&0 >&2 </dev/null', ...argv];
}

/** TypeScript is staged as JavaScript beside it; other files are their own. */
export function strippedPath(path: string): string {
  return isTypeScript(path) ? path.replace(/ts$/, 'js') : path;
}

export function isTypeScript(path: string): boolean {
  return /\.[cm]?ts$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}
