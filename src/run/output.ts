import { HostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import type { RunResult } from './run.js';

/** The last lines of what a program complained about, for an error message. */
export function tail(text: string, lines = 12): string {
  return text.trimEnd().split('\n').slice(-lines).join('\n').slice(-4000);
}

/** Exactly one line of JSON; lines before it are kept as a log, with a warning. */
export function readLine(stdout: string, tool: string): RunResult {
  const lines = stdout.split('\n').filter((it) => it.trim() !== '');
  const last = lines.at(-1);
  if (last === undefined) {
    throw new HostError('tool_no_output', `${tool} ended well but printed nothing`, {
      hint: 'a tool prints its result as one line of JSON: print(json.dumps(main(**args)))',
    });
  }
  const value = parse(last) ?? parse(stdout);
  if (value === undefined) {
    throw new HostError('tool_bad_output', `${tool} printed something that is not JSON: ${excerpt(last)}`, {
      hint: 'the last line of standard output must be one JSON value; write logs to standard error',
    });
  }
  if (lines.length === 1 || parse(last) === undefined) return { value: value.json, warnings: [] };
  const count = lines.length - 1;
  return {
    value: value.json,
    log: lines.slice(0, -1).join('\n'),
    warnings: [
      `${tool} printed ${count} ${count === 1 ? 'line' : 'lines'} before its result; write logs to standard error`,
    ],
  };
}

function parse(text: string): { json: Json } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function excerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0] as string;
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 117)}…` : line);
}
