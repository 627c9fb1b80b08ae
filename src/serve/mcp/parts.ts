import type { JsonObject } from '../../model/json.js';
import type { KeptResult } from './results.js';
import type { Shape } from './tools.js';

/** Characters of text that go into one result. */
export const textLimit = 100_000;

/** Puts a large result aside and says where it can be read. */
export type Keep = (result: KeptResult) => string;

/**
 * An answer in parts, as its server gave them. Only text is touched, where it is too much for one result: it is cut, with a
 * link to all of it.
 */
export function partsContent(parts: readonly JsonObject[], shape: Shape, keep: Keep): JsonObject[] {
  let room = textLimit;
  return parts.flatMap((part) => {
    const { type, text } = part;
    if (type !== 'text' || typeof text !== 'string') return [shape === 'plain' ? older(part) : part];
    if (text.length <= room) {
      room -= text.length;
      return [part];
    }
    const cut = cutText(text, 'text/plain', shape, keep, room);
    room = 0;
    return [{ ...part, text: cut[0]?.text ?? '' }, ...cut.slice(1)];
  });
}

/** The beginning of a text that is too long, what was left out, and a link to the whole. */
export function cutText(
  text: string,
  mimeType: string,
  shape: Shape,
  keep: Keep,
  room = textLimit,
): JsonObject[] {
  const uri = keep({ text, mimeType });
  const shown = wholeCharacters(text, room);
  const note = `[cut after ${shown.length} of ${text.length} characters; the whole result can be read at ${uri} for ten minutes, in parts with ?offset=${shown.length}&limit=${textLimit}]`;
  const size = Buffer.byteLength(text);
  const link = { type: 'resource_link', uri, name: 'result', title: 'The whole result', mimeType, size };
  return [{ type: 'text', text: shown }, { type: 'text', text: note }, ...(shape === 'plain' ? [] : [link])];
}

/** Never half of a surrogate pair. */
export function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The oldest revisions know text, pictures and resources; what else there is, is told in words. */
function older(part: JsonObject): JsonObject {
  switch (part.type) {
    case 'image':
    case 'resource':
      return part;
    case 'resource_link':
      return { type: 'text', text: `${part.title ?? part.name ?? 'a resource'}: ${part.uri}` };
    default:
      return {
        type: 'text',
        text: `[a part of the kind ${String(part.type)}, which this client cannot show]`,
      };
  }
}
