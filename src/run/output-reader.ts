import type { OutputReader } from '../model/action.js';
import { HostError, type ToolError } from '../model/host-error.js';
import { isObject, type Json } from '../model/json.js';
import {
  answerLimits,
  excessText,
  type JsonExcess,
  JsonExcessError,
  jsonExcess,
  parseBounded,
} from '../model/json-bounds.js';
import { inexactNumber, inexactText } from '../model/json-number.js';
import { mediaTypeOf, sniffedType } from './binary-type.js';
import type { RunResult } from './run.js';

/** Parses the output of a process in the format that its manifest declares. */
export function readOutput(stdout: Buffer, reader: OutputReader, tool: string): RunResult {
  switch (reader.format) {
    case 'none':
      return { value: null, warnings: [] };
    case 'binary':
      return readBinary(stdout);
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
      return { value: parseLoosely(text)?.json ?? text, warnings: [] };
    }
  }
}

/** One line of JSON. Lines before it become the log, with a warning. */
function readLine(stdout: string, tool: string): RunResult {
  const text = stdout.trimEnd();
  const lastStart = text.lastIndexOf('\n') + 1;
  const last = text.slice(lastStart);
  if (last === '') {
    throw new HostError('tool_no_output', `${tool} exited successfully but printed no output`, {
      hint: 'a tool prints its result as one line of JSON: print(json.dumps(main(**args)))',
    });
  }
  const single = parse(last, tool);
  const value = single ?? parse(stdout, tool);
  if (value === undefined) {
    throw new HostError('tool_bad_output', `the output of ${tool} is not JSON: ${quotedExcerpt(last)}`, {
      hint: 'the last line of standard output must be one JSON value; write logs to standard error',
    });
  }
  // Without blank lines.
  const log = text.slice(0, lastStart).replace(/^[^\S\n]*\n/gm, '');
  if (log === '' || single === undefined) return { value: value.json, warnings: [] };
  const count = newlinesIn(log);
  return {
    value: value.json,
    log: log.slice(0, -1),
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
  const value = parse(text, tool);
  if (value === undefined) {
    throw new HostError('tool_bad_output', `the output of ${tool} is not JSON: ${quotedExcerpt(text)}`, {
      hint: 'its manifest declares JSON output; write logs to standard error',
    });
  }
  return value.json;
}

/** One JSON value per line. */
export function readRecords(text: string, tool: string): RunResult {
  // All records together are one value.
  const excess = jsonExcess(text, answerLimits);
  if (excess !== undefined) throw tooComplex(excess, tool);
  const { values } = answerLimits;
  if (newlinesIn(text) > values) throw tooComplex({ limit: 'values', max: values }, tool);
  const records = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const record = parse(line, tool);
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

/** `declared`: the content type that the sender states; without one, the first bytes tell the type. */
export function readBinary(content: Buffer, declared?: string): RunResult {
  const mimeType = mediaTypeOf(declared) ?? sniffedType(content);
  const binary = { encoding: 'base64', mimeType, bytes: content.length } as const;
  return { value: content.toString('base64'), binary, warnings: [] };
}

/** The error in a declared error envelope; undefined if the output has none. */
export function envelopeError(text: string, tool: string): HostError | undefined {
  const value = parseLoosely(text)?.json ?? parseLoosely(text.trimEnd().split('\n').at(-1) ?? '')?.json;
  if (!isObject(value) || !isObject(value.error)) return undefined;
  const { code, message, details } = value.error;
  if (typeof code !== 'string' && typeof message !== 'string') return undefined;
  const what = [code, message].filter((it) => typeof it === 'string').join(': ');
  const toolError: ToolError = {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' ? { message } : {}),
    ...(details === undefined ? {} : { details }),
  };
  return new HostError('tool_failed', `${tool} returned an error: ${what}`, { toolError });
}

export function decodeUtf8(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new HostError('tool_bad_output', `the output of ${name} is not valid UTF-8`, { cause: error });
  }
}

/** Undefined if the text is not JSON. Throws if it exceeds a limit. */
function parse(text: string, tool: string): { json: Json } | undefined {
  let json: Json;
  try {
    json = parseBounded(text, answerLimits);
  } catch (error) {
    if (error instanceof JsonExcessError) throw tooComplex(error.excess, tool);
    return undefined;
  }
  const inexact = inexactNumber(text);
  if (inexact !== undefined)
    throw new HostError('tool_bad_output', `the output of ${tool} ${inexactText(inexact)}`, {
      hint: 'the tool can print it as text, in quotes',
    });
  return { json };
}

function tooComplex(excess: JsonExcess, tool: string): HostError {
  return new HostError('tool_bad_output', `the output of ${tool} ${excessText(excess)}`);
}

/** Counts without splitting, which would create a string per line. */
function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Undefined if the text is not JSON, exceeds a limit, or has a number that would change. */
function parseLoosely(text: string): { json: Json } | undefined {
  try {
    const json = parseBounded(text, answerLimits);
    return inexactNumber(text) === undefined ? { json } : undefined;
  } catch {
    return undefined;
  }
}

export function quotedExcerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0] as string;
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 117)}…` : line);
}
