import { posix } from 'node:path';
import type { Action } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import { containerTargetOf, spawnContainer } from './container.js';
import { explainFailure, isExecFailure, networkWarning } from './failure.js';
import { asNotStarted } from './not-started.js';
import { envelopeError, readOutput } from './output-reader.js';
import type { PrestartedSandboxes } from './prestarted-sandboxes.js';
import { collectOutput } from './process-output.js';
import { recordReporter } from './record-stream.js';
import type { RunRequest, RunResult } from './run.js';
import {
  hasBinary,
  idempotencyVariable,
  mountIdentities,
  pathInside,
  processTargetOf,
  type SandboxProfile,
  sandboxCommandFor,
} from './sandbox-command.js';
import { type ProcessServices, type SandboxedProcess, spawnSandboxed } from './sandboxed-process.js';
import { fillArgs } from './template-filling.js';
import { pythonScript } from './worker/python-script.js';

type Exec = Extract<Action, { kind: 'exec' }>;

/** Runs a program of the package once: arguments in, one result out. */
export async function runExec(
  action: Exec,
  request: RunRequest,
  profile: SandboxProfile,
  processServices: ProcessServices,
  prestarted: PrestartedSandboxes | null,
): Promise<RunResult> {
  const name = `${request.package.id}/${request.tool.name}`;
  const image = containerTargetOf(request.package, action.program);
  if (image !== undefined) {
    const values = { input: request.input, slots: profile.slots };
    const argv = fillArgs([...image.command, ...action.arguments], values);
    const variables = idempotencyVariable(request.idempotencyKey);
    const sandboxed = await starting(spawnContainer(image, argv, profile, { ...processServices, variables }));
    return runInContainer(action, request, sandboxed, profile, name);
  }
  const target = processTargetOf(request.package, action.program);
  const args = fillArgs([...target.command, ...action.arguments], {
    input: request.input,
    slots: profile.slots,
  });
  const packages = profile.runtimes.get(action.program)?.packages ?? null;
  const [binary] = args;
  if (
    target.runtime === undefined &&
    !(binary && hasBinary(binary, posix.join(profile.packageFolder, target.directory), packages))
  ) {
    throw new HostError(
      'runtime_missing',
      `${name} needs the program ${binary ?? ''}, which is not installed`,
      {
        hint: 'install it in /usr/bin or /usr/local/bin, which the sandbox can see',
        notStarted: true,
      },
    );
  }
  // The key of a call is known only when it comes.
  const mayPrestart = request.idempotencyKey === undefined && canPrestart(action, profile);
  const script = mayPrestart ? scriptOf(action, args, profile, processServices) : undefined;
  const plain = sandboxCommandFor(profile, action.program, script ?? args, processServices.sandbox);
  const variables = idempotencyVariable(request.idempotencyKey);
  const command = { ...plain, environment: { ...plain.environment, ...variables } };
  const start = () => spawnSandboxed(command, profile, processServices);
  const key = prestarted !== null && mayPrestart ? keyOf(command, profile) : null;
  const sandboxed = (key === null ? undefined : prestarted?.take(key)) ?? (await starting(start()));
  try {
    const result = await exchange(action, request, sandboxed, profile, {
      name,
      reportsExit: script !== undefined,
    });
    // Only a program that answered successfully is worth prestarting.
    if (key !== null && !request.signal.aborted) void prestarted?.prestart(key, profile.owner, start);
    return result;
  } finally {
    // Kill the rest after the result is returned, because killing a process blocks the host for a moment.
    setImmediate(() => sandboxed.process.kill());
  }
}

/** Marks an error as one of the start. */
async function starting(process: Promise<SandboxedProcess>): Promise<SandboxedProcess> {
  try {
    return await process;
  } catch (error) {
    throw asNotStarted(error);
  }
}

async function runInContainer(
  action: Exec,
  request: RunRequest,
  sandboxed: SandboxedProcess,
  profile: SandboxProfile,
  name: string,
): Promise<RunResult> {
  try {
    return await exchange(action, request, sandboxed, profile, { name, reportsExit: false });
  } finally {
    setImmediate(() => sandboxed.process.kill());
  }
}

async function exchange(
  action: Exec,
  request: RunRequest,
  { process, egress }: SandboxedProcess,
  profile: SandboxProfile,
  { name, reportsExit }: { readonly name: string; readonly reportsExit: boolean },
): Promise<RunResult> {
  egress?.activate();
  const { exit, stdout, stderr } = await collectOutput(process, {
    name,
    stdin: action.stdin === 'json' ? JSON.stringify(request.input) : '',
    outputBytes: request.outputBytes,
    timeoutMs: request.timeoutMs,
    callTimeoutMs: request.callTimeoutMs,
    signal: request.signal,
    reportsExit,
    onOutput: recordReporter(action.output, request),
  }).finally(() => {
    if (egress !== null) request.onNetworkUsed?.(egress.takeContacted());
  });
  const deniedHosts = egress?.takeDenied() ?? [];
  if (deniedHosts.length > 0) request.onNetworkDenied(deniedHosts.map((it) => `${it.host}:${it.port}`));
  const envelope = action.output.errorEnvelope ? envelopeError(stdout.toString('utf8'), name) : undefined;
  if (exit.code !== 0 || envelope !== undefined) {
    const ended = { exit, stdout: stdout.toString('utf8'), stderr, deniedHosts, envelope };
    const failure = explainFailure(name, ended, profile);
    throw stdout.length === 0 && isExecFailure(exit) ? asNotStarted(failure) : failure;
  }
  const result = readOutput(stdout, action.output, name);
  const hint = networkWarning(result.value, stderr, deniedHosts, profile);
  return {
    ...result,
    warnings: hint === undefined ? result.warnings : [...result.warnings, hint],
    ...withLog([result.log, stderr.trimEnd()]),
  };
}

function withLog(texts: readonly (string | undefined)[]): { log?: string } {
  const log = texts.filter((it) => it !== undefined && it !== '').join('\n');
  return log === '' ? {} : { log };
}

/** Arguments that make a Python file report its own exit code, so that the host need not wait for interpreter shutdown. */
function scriptOf(
  action: Exec,
  [file = '-', ...rest]: readonly string[],
  profile: SandboxProfile,
  { sandbox }: ProcessServices,
): string[] | undefined {
  const target = processTargetOf(profile.package, action.program);
  if (target.runtime?.language !== 'python' || action.output.format !== 'line' || !/^[^-].*\.py$/.test(file))
    return undefined;
  const path = pathInside(profile, sandbox, posix.join(target.directory, file));
  return ['-c', pythonScript, path, ...rest];
}

/** Whether a sandbox may be started before its call: only if it has no secret and no writable folder. */
function canPrestart(action: Exec, { package: pkg, slots, roots, dataFolder }: SandboxProfile): boolean {
  const secret = pkg.slots.some((it) => slots.get(it.name)?.secret === true);
  const writable = dataFolder !== null || roots.some((it) => it.writable);
  return action.waitsForInput === true && !secret && !writable;
}

/** Different for every combination of package, owner, command and profile. */
function keyOf(command: object, profile: SandboxProfile): string {
  const { digest, owner, network } = profile;
  return canonicalJson([digest, owner, command, network, mountIdentities(profile)] as unknown as Json);
}
