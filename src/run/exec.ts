import { posix } from 'node:path';
import type { Action } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import type { Program, ProgramTarget } from '../model/program.js';
import { constantText, type Template } from '../model/template.js';
import { defaultLimits, type Sandbox } from '../sandbox/sandbox.js';
import { collect } from './collect.js';
import { findPython } from './interpreter.js';
import { excerpt, readLine, tail } from './output.js';
import type { RunRequest, RunResult } from './run.js';

/** Where the package's files are inside the sandbox. */
const home = '/app';
const outputBytes = 10 * 1024 * 1024;

/** Runs a program of the package once: arguments in, one answer out. */
export async function runExec(
  action: Extract<Action, { kind: 'exec' }>,
  request: RunRequest,
  sandbox: Sandbox,
): Promise<RunResult> {
  const program = request.package.programs.find((it) => it.name === action.program);
  const target = processOf(program, action.program);
  const name = `${request.package.id}/${request.tool.name}`;
  const child = sandbox.spawn({
    argv: [...interpreter(target), ...[...target.command, ...action.arguments].map(constant)],
    directory: posix.join(home, target.directory),
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/tmp',
      LANG: 'C.UTF-8',
      TOOLPORT_CALL_ID: request.callId,
    },
    mounts: [{ source: request.files, target: home, writable: false }],
    limits: defaultLimits,
  });
  const { exit, stdout, stderr } = await collect(child, {
    name,
    stdin: action.stdin === 'json' ? JSON.stringify(request.input) : '',
    outputBytes,
    timeoutMs: request.timeoutMs,
    signal: request.signal,
  });
  if (exit.code !== 0) throw failure(name, exit, stdout, stderr);
  const result = readLine(stdout, name);
  return stderr.trim() === ''
    ? result
    : { ...result, log: [result.log, stderr.trimEnd()].filter((it) => it).join('\n') };
}

function processOf(program: Program | undefined, name: string): Extract<ProgramTarget, { kind: 'process' }> {
  if (program?.target.kind !== 'process')
    throw new HostError('not_supported', `the program ${name} is not a process`);
  return program.target;
}

function interpreter(target: Extract<ProgramTarget, { kind: 'process' }>): string[] {
  if (target.runtime === undefined) return [];
  if (target.runtime.language !== 'python')
    throw new HostError('not_supported', `${target.runtime.language} programs are not run yet`);
  // No bytecode files, no user packages, UTF-8 whatever the locale.
  return [findPython(target.runtime), '-B', '-s', '-X', 'utf8'];
}

function constant(template: Template): string {
  const text = constantText(template);
  if (text === undefined) throw new HostError('not_supported', 'arguments with placeholders are not run yet');
  return text;
}

function failure(
  name: string,
  exit: { code: number | null; signal: string | null },
  stdout: string,
  stderr: string,
): HostError {
  const how = exit.signal === null ? `ended with exit code ${exit.code}` : `was ended by ${exit.signal}`;
  const words = tail(stderr) || (stdout.trim() === '' ? '' : excerpt(stdout));
  return new HostError('tool_failed', words === '' ? `${name} ${how}` : `${name} ${how}:\n${words}`);
}
