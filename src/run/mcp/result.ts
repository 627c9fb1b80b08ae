import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { answerLimits, maxAnswerDepth, tryParseBounded } from '../../model/json-bounds.js';
import { inexactNumber } from '../../model/json-number.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import { readOnlyCodeHint } from '../read-only-code.js';
import type { RunResult } from '../run.js';

const maxErrorText = 8000;

/** The result of a call. A tool error becomes a HostError with the text of the server. */
export function readResult(result: JsonObject, name: string): RunResult {
  const content = Array.isArray(result.content) ? result.content.filter(isObject) : [];
  const structured = Object.hasOwn(result, 'structuredContent') ? result.structuredContent : undefined;
  const meta = isObject(result._meta) ? withoutReservedMeta(result._meta) : {};
  const ownMeta = Object.keys(meta).length === 0 ? {} : { meta };
  if (result.isError === true) {
    const message = errorText(content, result, name);
    const hint = readOnlyCodeHint(message);
    const toolResult = { parts: content, ...(structured === undefined ? {} : { structured }), ...ownMeta };
    throw new HostError('tool_failed', message, { toolResult, ...(hint === undefined ? {} : { hint }) });
  }
  if (content.length === 0 && structured === undefined && !Array.isArray(result.content))
    throw new HostError('tool_bad_output', `${name} answered without content and without a structured value`);
  return {
    value: structured === undefined ? valueIn(content) : structured,
    parts: content,
    warnings: [],
    ...(structured === undefined ? {} : { structured: true }),
    ...ownMeta,
  };
}

function errorText(content: readonly JsonObject[], result: JsonObject, name: string): string {
  const text = texts(content).join('\n').trim();
  const detail = text === '' && result.structuredContent ? JSON.stringify(result.structuredContent) : text;
  const start = `${name} answered with an error`;
  return detail === '' ? `${start} without a message` : `${start}: ${detail.slice(0, maxErrorText)}`;
}

function texts(content: readonly JsonObject[]): string[] {
  return content.flatMap((it) => (it.type === 'text' && typeof it.text === 'string' ? [it.text] : []));
}

const limits = { ...answerLimits, depth: maxAnswerDepth };

/**
 * Parses text that is a JSON object or list within limits. Text with a number that would be rounded stays text. Content with
 * other parts than text is returned as parts.
 */
function valueIn(content: readonly JsonObject[]): Json {
  const lines = texts(content);
  if (lines.length < content.length) return content;
  const text = lines.join('\n');
  if (!/^\s*[[{]/.test(text)) return text;
  const value = tryParseBounded(text, limits);
  return value === undefined || inexactNumber(text) !== undefined ? text : value;
}
