import { posix } from 'node:path';
import type { Action } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import { collect } from './collect.js';
import { containerOf, spawnContained } from './container.js';
import { explainFailure, networkWarning } from './failure.js';
import { fillArgs } from './fill.js';
import { commandFor, findBinary, pathInside, placesOf, processOf, type SandboxProfile } from './launch.js';
import { envelopeError, readOutput } from './output.js';
import type { RunRequest, RunResult } from './run.js';
import { type ProcessServices, type SandboxedProcess, spawnConfined } from './spawn.js';
import type { WarmSandboxes } from './warm.js';
import { pythonScript } from './worker/script.js';

type Exec = Extract<Action, { kind: 'exec' }>;

/** Runs a program of the package once: arguments in, one answer out. */
export async function runExec(
  action: Exec,
  request: RunRequest,
  confinement: SandboxProfile,
  machine: ProcessServices,
  warm: WarmSandboxes | null,
): Promise<RunResult> {
  const name = `${request.package.id}/${request.tool.name}`;
  const image = containerOf(request.package, action.program);
  if (image !== undefined) {
    const given = { input: request.input, slots: confinement.slots };
    const argv = fillArgs([...image.command, ...action.arguments], given);
    return converseOnce(
      action,
      request,
      await spawnContained(image, argv, confinement, machine),
      confinement,
      name,
    );
  }
  const target = processOf(request.package, action.program);
  const words = fillArgs([...target.command, ...action.arguments], {
    input: request.input,
    slots: confinement.slots,
  });
  const packages = confinement.runtimes.get(action.program)?.packages ?? null;
  const [binary] = words;
  if (target.runtime === undefined && !(binary && findBinary(binary, confinement.files, packages))) {
    throw new HostError('runtime_missing', `${name} needs the program ${binary ?? ''}, which is not here`, {
      hint: 'install it on this machine, where the sandbox can see it: /usr/bin or /usr/local/bin',
    });
  }
  const waits = canWait(action, confinement);
  const script = waits ? scriptOf(action, words, confinement, machine) : undefined;
  const command = commandFor(confinement, action.program, script ?? words, machine.sandbox);
  const start = () => spawnConfined(command, confinement, machine);
  const key = warm !== null && waits ? keyOf(command, confinement) : null;
  const confined = (key === null ? undefined : warm?.take(key)) ?? (await start());
  try {
    const result = await converse(action, request, confined, confinement, {
      name,
      marked: script !== undefined,
    });
    // Only a program that waited and answered is worth starting ahead.
    if (key !== null && !request.signal.aborted) void warm?.fill(key, start);
    return result;
  } finally {
    // What is left of it ends after the answer has gone out; ending a process holds the host up.
    setImmediate(() => confined.process.kill());
  }
}

async function converseOnce(
  action: Exec,
  request: RunRequest,
  confined: SandboxedProcess,
  confinement: SandboxProfile,
  name: string,
): Promise<RunResult> {
  try {
    return await converse(action, request, confined, confinement, { name, marked: false });
  } finally {
    setImmediate(() => confined.process.kill());
  }
}

async function converse(
  action: Exec,
  request: RunRequest,
  { process, egress }: SandboxedProcess,
  confinement: SandboxProfile,
  { name, marked }: { readonly name: string; readonly marked: boolean },
): Promise<RunResult> {
  egress?.arm();
  const { exit, stdout, stderr } = await collect(process, {
    name,
    stdin: action.stdin === 'json' ? JSON.stringify(request.input) : '',
    outputBytes: request.outputBytes,
    timeoutMs: request.timeoutMs,
    givenMs: request.givenMs,
    signal: request.signal,
    marked,
  });
  const refusals = egress?.takeRefusals() ?? [];
  if (refusals.length > 0) request.onRefused(refusals.map((it) => `${it.host}:${it.port}`));
  const envelope = action.output.errorEnvelope ? envelopeError(stdout.toString('utf8'), name) : undefined;
  if (exit.code !== 0 || envelope !== undefined) {
    const ended = { exit, stdout: stdout.toString('utf8'), stderr, refusals, envelope };
    throw explainFailure(name, ended, confinement);
  }
  const result = readOutput(stdout, action.output, name);
  const hint = networkWarning(result.value, stderr, refusals, confinement);
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

/** A Python file that says itself how it ended, so that nobody waits for the interpreter to take itself apart. */
function scriptOf(
  action: Exec,
  [file = '-', ...rest]: readonly string[],
  confinement: SandboxProfile,
  { sandbox }: ProcessServices,
): string[] | undefined {
  const target = processOf(confinement.package, action.program);
  if (target.runtime?.language !== 'python' || action.output.format !== 'line' || !/^[^-].*\.py$/.test(file))
    return undefined;
  const path = pathInside(confinement, sandbox, posix.join(target.directory, file));
  return ['-c', pythonScript, path, ...rest];
}

/** Whether a sandbox may be started before its call: then nothing it has may matter before the call. */
function canWait(action: Exec, { package: of, slots, roots, state }: SandboxProfile): boolean {
  const secret = of.slots.some((it) => slots.get(it.name)?.secret === true);
  const writable = state !== null || roots.some((it) => it.writable);
  return action.waits === true && !secret && !writable;
}

/** The same package, caller, command and confinement, or another key. */
function keyOf(command: object, confinement: SandboxProfile): string {
  const { digest, principal, network } = confinement;
  return canonicalJson([digest, principal, command, network, placesOf(confinement)] as unknown as Json);
}
