import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RunResult } from '../run.js';

const maxWords = 4000;

/**
 * What a tool of an extension answered. The format leaves the shape open, so any value is an answer. One in the shape of an
 * MCP result is taken for what it says it is: parts, and whether it is a failure.
 */
export function readAnswer(value: Json, name: string): RunResult {
  const parts = partsOf(value);
  if (parts === undefined) return { value, warnings: [] };
  const { isError, structuredContent } = value as JsonObject;
  const text = parts.flatMap((it) => (typeof it.text === 'string' ? [it.text] : [])).join('\n');
  if (isError === true)
    throw new HostError(
      'tool_failed',
      `${name} answered with an error: ${text.slice(0, maxWords) || 'no words'}`,
    );
  return { value: structuredContent ?? text, parts, warnings: [] };
}

const members = ['content', 'isError', 'structuredContent', '_meta'];

function partsOf(value: Json): readonly JsonObject[] | undefined {
  if (!isObject(value) || !Array.isArray(value.content) || value.content.length === 0) return undefined;
  if (!Object.keys(value).every((it) => members.includes(it))) return undefined;
  const parts: readonly Json[] = value.content;
  return parts.every((it) => isObject(it) && typeof it.type === 'string')
    ? (parts as JsonObject[])
    : undefined;
}
