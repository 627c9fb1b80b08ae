import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { RunResult } from '../run.js';

const maxErrorText = 4000;

/**
 * Reads the result of a tool of an extension. The format does not define the shape, so any value is a result. A value in
 * the shape of an MCP result is read as one: content parts, and whether it is an error.
 */
export function readNexoResult(value: Json, name: string): RunResult {
  const parts = partsOf(value);
  if (parts === undefined) return { value, warnings: [] };
  const { isError, structuredContent } = value as JsonObject;
  const text = parts.flatMap((it) => (typeof it.text === 'string' ? [it.text] : [])).join('\n');
  if (isError === true)
    throw new HostError(
      'tool_failed',
      `${name} returned an error: ${text.slice(0, maxErrorText) || 'no error text'}`,
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
