import type { Runtime } from '../../model/program.js';
import { nodeWorker } from './node-worker.js';
import { pythonWorker } from './python-worker.js';

/** Interpreter arguments that start a worker for the functions of a file. `entry`: its absolute path inside the sandbox. */
export function workerArgs(language: Runtime['language'], entry: string): string[] {
  switch (language) {
    case 'node':
      // Without a package.json, Node detects the module system by syntax and warns about it.
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
 * Moves requests and answers to descriptors 4 and 3 before the interpreter starts. Output of the code and its children
 * then goes to standard error, and standard input is empty.
 */
export function withWorkerChannel(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'exec "$0" "$@" 3>&1 4<&0 >&2 </dev/null', ...argv];
}

/** Path of the JavaScript that is staged next to a TypeScript file; other paths are unchanged. */
export function strippedPath(path: string): string {
  return isTypeScript(path) ? path.replace(/ts$/, 'js') : path;
}

export function isTypeScript(path: string): boolean {
  return /\.[cm]?ts$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}
