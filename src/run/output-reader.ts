import type { OutputReader } from '../model/action.js';
import { HostError } from '../model/host-error.js';
import { isObject, type Json } from '../model/json.js';
import type { RunResult } from './run.js';

/** Parses the output of a process in the format that its manifest declares. */
export function readOutput(stdout: Buffer, reader: OutputReader, tool: string): RunResult {
  switch (reader.format) {
    case 'none':
      return { value: null, warnings: [] };
    case 'binary':
      return { value: stdout.toString('base64'), warnings: [] };
    case 'text':
      return { value: decodeUtf8(stdout, tool), warnings: [] };
    case 'line':
      return readLine(decodeUtf8(stdout, tool), tool);
    case 'records':
      return readRecords(decodeUtf8(stdout, tool), tool);
    case 'json':
      return { value: readJson(decodeUtf8(stdout, tool), tool), warnings: [] };
    case 'auto': {
      const text = decodeUtf8(stdout, tool);
      return { value: parse(text)?.json ?? text, warnings: [] };
    }
  }
}

/** One line of JSON. Lines before it become the log, with a warning. */
function readLine(stdout: string, tool: string): RunResult {
  const lines = stdout.split('\n').filter((it) => it.trim() !== '');
  const last = lines.at(-1);
  if (last === undefined) {
    throw new HostError('tool_no_output', `${tool} exited successfully but printed no output`, {
      hint: 'a tool prints its result as one line of JSON: print(json.dumps(main(**args)))',
    });
  }
  const value = parse(last) ?? parse(stdout);
  if (value === undefined) {
    throw new HostError('tool_bad_output', `the output of ${tool} is not JSON: ${quotedExcerpt(last)}`, {
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

function readJson(text: string, tool: string): Json {
  if (text.trim() === '') {
    throw new HostError('tool_no_output', `${tool} exited successfully but printed no output`, {
      hint: 'its manifest declares JSON output',
    });
  }
  const value = parse(text);
  if (value === undefined) {
    throw new HostError('tool_bad_output', `the output of ${tool} is not JSON: ${quotedExcerpt(text)}`, {
      hint: 'its manifest declares JSON output; write logs to standard error',
    });
  }
  return value.json;
}

/** One JSON value per line. */
export function readRecords(text: string, tool: string): RunResult {
  const records = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const record = parse(line);
    if (record === undefined) {
      throw new HostError(
        'tool_bad_output',
        `line ${index + 1} of the output of ${tool} is not JSON: ${quotedExcerpt(line)}`,
        { hint: 'its manifest declares one JSON value per line' },
      );
    }
    return [record.json];
  });
  return { value: records, records: true, warnings: [] };
}

/** The error in a declared error envelope; undefined if the output has none. */
export function envelopeError(text: string, tool: string): HostError | undefined {
  const value = parse(text)?.json ?? parse(text.trimEnd().split('\n').at(-1) ?? '')?.json;
  if (!isObject(value) || !isObject(value.error)) return undefined;
  const { code, message } = value.error;
  if (typeof code !== 'string' && typeof message !== 'string') return undefined;
  const details = [code, message].filter((it) => typeof it === 'string').join(': ');
  return new HostError('tool_failed', `${tool} returned an error: ${details}`);
}

export function decodeUtf8(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new HostError('tool_bad_output', `the output of ${name} is not valid UTF-8`, { cause: error });
  }
}

function parse(text: string): { json: Json } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function quotedExcerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0] as string;
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 117)}…` : line);
}
