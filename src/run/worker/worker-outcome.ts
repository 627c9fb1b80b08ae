import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { ProcessExit } from '../../sandbox/sandbox.js';
import { explainFailure, networkWarning } from '../failure.js';
import type { RunResult } from '../run.js';
import type { SandboxProfile } from '../sandbox-command.js';
import type { WorkerOutcome } from './worker-process.js';

/** Converts the outcome of a worker call to a result, or throws its failure. */
export function readWorkerOutcome(
  { end, log, deniedHosts }: WorkerOutcome,
  name: string,
  outputBytes: number,
  profile: SandboxProfile,
): RunResult {
  const explain = (errorText: string | undefined, exit: ProcessExit) => {
    // The envelope is the tool's own error; without one, the last output is used.
    const envelope =
      errorText === undefined ? undefined : new HostError('tool_failed', errorText, causeOf(log));
    const stderr = errorText === undefined ? log : `${log}\n${errorText}`;
    return explainFailure(name, { exit, stdout: '', stderr, deniedHosts, envelope }, profile);
  };
  switch (end.kind) {
    case 'failed':
      throw loadFailure(name, end.message, log);
    case 'ended':
      throw explain(end.uncaught === undefined ? undefined : `${name} stopped: ${end.uncaught}`, end.exit);
    case 'answer': {
      const { message } = end;
      if (typeof message.error === 'string') throw explain(message.error, { code: 0, signal: null });
      if (message.memory === true) throw explain(undefined, { code: null, signal: null, exceeded: 'memory' });
      if (!Object.hasOwn(message, 'value')) throw invalidResult(name, message, outputBytes);
      const value = message.value as Json;
      const warning = networkWarning(value, log, deniedHosts, profile);
      return {
        value,
        warnings: warning === undefined ? [] : [warning],
        ...(log === '' ? {} : { log }),
      };
    }
  }
}

function invalidResult(name: string, message: JsonObject, outputBytes: number): HostError {
  if (typeof message.large === 'number') {
    const [size, limit] = [message.large, outputBytes].map((it) => it.toLocaleString('en'));
    return new HostError(
      'output_too_large',
      `the result of ${name} has ${size} bytes; the limit is ${limit}`,
    );
  }
  if (typeof message.absent === 'string') {
    return new HostError(
      'tool_failed',
      `the code of ${name} has no function ${JSON.stringify(message.absent)}`,
      {
        hint: 'export it by its name',
      },
    );
  }
  const why = typeof message.bad === 'string' ? message.bad : 'it has no value';
  return new HostError('tool_bad_output', `the result of ${name} is not JSON: ${why}`, {
    hint: 'return plain data: strings, numbers, booleans, null, and lists and objects of these',
  });
}

function loadFailure(name: string, message: JsonObject, log: string): HostError {
  const [errorText, home, reported] = [textOf(message.message), textOf(message.home), textOf(message.place)];
  // The runtime prints the location of a syntax error before the error itself.
  const place = reported || /^(?:file:\/\/)?(\/.*:\d+)$/m.exec(log)?.[1];
  const at = place === undefined ? '' : ` at ${home === '' ? place : place.replace(home, '')}`;
  switch (message.failed) {
    case 'syntax':
      return new HostError(
        'tool_failed',
        `the code of ${name} has a syntax error${at}: ${errorText}`,
        causeOf(log),
      );
    case 'missing':
      return new HostError(
        'tool_failed',
        `the code of ${name} imports a module that was not found: ${errorText}`,
        {
          ...causeOf(log),
          hint: 'declare it as a dependency of the package, or add the file to the package',
        },
      );
    case 'start':
      return new HostError('tool_failed', `the code of ${name} failed to start: ${errorText}`, causeOf(log));
    default:
      return new HostError('tool_failed', `the code of ${name} failed to load: ${errorText}`, causeOf(log));
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The stack trace is for the host's own log, not for the caller. */
function causeOf(log: string): { cause?: Error } {
  return log === '' ? {} : { cause: new Error(log) };
}
