import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RunResult } from '../run.js';
import { foreignMeta, isTooDeep } from './message.js';

const maxWords = 8000;

/** The answer to a call. What the server says of a failure becomes the failure's words. */
export function readResult(result: JsonObject, name: string): RunResult {
  const content = Array.isArray(result.content) ? result.content.filter(isObject) : [];
  if (result.isError === true) throw new HostError('tool_failed', failureWords(content, result, name));
  const structured = Object.hasOwn(result, 'structuredContent') ? result.structuredContent : undefined;
  if (content.length === 0 && structured === undefined && !Array.isArray(result.content))
    throw new HostError(
      'tool_bad_output',
      `${name} was answered with neither content nor a structured value`,
    );
  const meta = isObject(result._meta) ? foreignMeta(result._meta) : {};
  return {
    value: structured === undefined ? valueIn(content) : structured,
    parts: content,
    warnings: [],
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

function failureWords(content: readonly JsonObject[], result: JsonObject, name: string): string {
  const words = texts(content).join('\n').trim();
  const said = words === '' && result.structuredContent ? JSON.stringify(result.structuredContent) : words;
  const start = `${name} answered with an error`;
  return said === '' ? `${start} and said nothing more` : `${start}: ${said.slice(0, maxWords)}`;
}

function texts(content: readonly JsonObject[]): string[] {
  return content.flatMap((it) => (it.type === 'text' && typeof it.text === 'string' ? [it.text] : []));
}

/** Text is read as JSON where it is an object or a list; what has more than text in it stays in parts. */
function valueIn(content: readonly JsonObject[]): Json {
  const words = texts(content);
  if (words.length < content.length) return content;
  const text = words.join('\n');
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: Json = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}
