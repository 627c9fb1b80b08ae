import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { findNode, findPython, type Interpreter } from '../../sandbox/interpreter.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Check } from '../host.js';
import { runInSandbox } from './probe-command.js';
import { lastLine } from './sandbox.js';

export interface Languages {
  readonly python: Interpreter | HostError;
  readonly node: Interpreter | HostError;
}

export function findLanguages(
  user: Sandbox['user'],
  home: string,
  node: { readonly path: string; readonly version: string },
): Languages {
  return {
    python: attempt(() => findPython(undefined, user, home)),
    node: attempt(() => findNode(undefined, user, node)),
  };
}

function attempt<T>(find: () => T): T | HostError {
  try {
    return find();
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
}

/** Starts each in the sandbox: an existing file may still fail to run. */
export async function checkLanguages(sandbox: Sandbox, languages: Languages): Promise<readonly Check[]> {
  const { python, node } = languages;
  const checks: Check[] = [];
  if (python instanceof HostError) checks.push(missing('python', python));
  else {
    checks.push(await runsInside(sandbox, 'python', `Python ${python.version}`, python, ['-I', '--version']));
    checks.push(
      await runsInside(
        sandbox,
        'pip',
        'pip',
        python,
        ['-I', '-m', 'pip', '--version'],
        'sudo apt-get install python3-pip',
      ),
    );
  }
  if (node instanceof HostError) checks.push(missing('node.inside', node));
  else {
    checks.push(await runsInside(sandbox, 'node.inside', `Node ${node.version}`, node, ['--version']));
    const npm = npmOf(node.path);
    checks.push(
      npm === undefined
        ? {
            id: 'npm',
            status: 'warn',
            message: 'npm is not installed: npm packages cannot be installed',
            fix: 'sudo apt-get install npm',
          }
        : await runsInside(sandbox, 'npm', 'npm', node, [npm, '--version'], 'sudo apt-get install npm'),
    );
  }
  return checks;
}

function missing(id: string, error: HostError): Check {
  const fix = error.hint?.replace(/^install it: /, '');
  return { id, status: 'warn', message: error.message, ...(fix === undefined ? {} : { fix }) };
}

async function runsInside(
  sandbox: Sandbox,
  id: string,
  name: string,
  interpreter: Interpreter,
  args: readonly string[],
  fix?: string,
): Promise<Check> {
  const { exit, stdout, stderr } = await runInSandbox(sandbox, {
    argv: [interpreter.path, ...args],
    mounts: interpreter.mounts,
    limits: { memoryBytes: 2 * 1024 * 1024 * 1024, openFiles: 1024 },
    timeoutMs: 30_000,
  });
  if (exit.code === 0) {
    const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0];
    const shown = version === undefined || name.includes(version) ? name : `${name.split(' ')[0]} ${version}`;
    return { id, status: 'ok', message: `${shown} runs in the sandbox (${interpreter.path})` };
  }
  const message = `${name} does not run in the sandbox: ${lastLine(stderr)}`;
  return { id, status: 'warn', message, ...(fix === undefined ? {} : { fix }) };
}

/** The script behind the `npm` command, which is often a link or a shell script. */
function npmOf(node: string): string | undefined {
  const prefix = dirname(dirname(node));
  return [
    join(prefix, 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    '/usr/lib/node_modules/npm/bin/npm-cli.js',
    '/usr/share/nodejs/npm/bin/npm-cli.js',
  ].find((it) => existsSync(it));
}
