import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Exit } from '../../sandbox/sandbox.js';
import { explainFailure, networkWarning } from '../failure.js';
import type { SandboxProfile } from '../launch.js';
import type { RunResult } from '../run.js';
import type { Outcome } from './process.js';

/** The result that a worker told of; throws what is to be said of a failure. */
export function readOutcome(
  { end, log, refusals }: Outcome,
  name: string,
  outputBytes: number,
  confinement: SandboxProfile,
): RunResult {
  const explain = (words: string | undefined, exit: Exit) => {
    // The envelope is the tool's own account; without one, what it printed last is.
    const envelope = words === undefined ? undefined : new HostError('tool_failed', words, because(log));
    const stderr = words === undefined ? log : `${log}\n${words}`;
    return explainFailure(name, { exit, stdout: '', stderr, refusals, envelope }, confinement);
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
      if (!Object.hasOwn(message, 'value')) throw unusable(name, message, outputBytes);
      const value = message.value as Json;
      const warning = networkWarning(value, log, refusals, confinement);
      return {
        value,
        warnings: warning === undefined ? [] : [warning],
        ...(log === '' ? {} : { log }),
      };
    }
  }
}

function unusable(name: string, message: JsonObject, outputBytes: number): HostError {
  if (typeof message.large === 'number') {
    const [has, may] = [message.large, outputBytes].map((it) => it.toLocaleString('en'));
    return new HostError('output_too_large', `${name} answered with ${has} bytes; ${may} are allowed`);
  }
  if (typeof message.absent === 'string') {
    return new HostError('tool_failed', `${name} has no function ${JSON.stringify(message.absent)} to call`, {
      hint: 'export it by its name',
    });
  }
  const why = typeof message.bad === 'string' ? message.bad : 'it has no value';
  return new HostError('tool_bad_output', `the result of ${name} is not JSON: ${why}`, {
    hint: 'return plain data: text, numbers, true or false, null, lists and objects of these',
  });
}

function loadFailure(name: string, message: JsonObject, log: string): HostError {
  const [words, home, told] = [textOf(message.message), textOf(message.home), textOf(message.place)];
  // What the runtime printed as the reason of its end begins with the place.
  const place = told || /^(?:file:\/\/)?(\/.*:\d+)$/m.exec(log)?.[1];
  const at = place === undefined ? '' : ` at ${home === '' ? place : place.replace(home, '')}`;
  switch (message.failed) {
    case 'syntax':
      return new HostError(
        'tool_failed',
        `the code of ${name} has a syntax error${at}: ${words}`,
        because(log),
      );
    case 'missing':
      return new HostError('tool_failed', `the code of ${name} needs something that is not there: ${words}`, {
        ...because(log),
        hint: 'declare it as a dependency of the package, or put the file into the package',
      });
    default:
      return new HostError(
        'tool_failed',
        `the code of ${name} failed while it was loaded: ${words}`,
        because(log),
      );
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Where in the code it happened is for the host's own log, not for the caller. */
function because(log: string): { cause?: Error } {
  return log === '' ? {} : { cause: new Error(log) };
}
