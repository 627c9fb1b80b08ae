import type { BinaryContent } from '../../host/host.js';
import type { JsonObject } from '../../model/json.js';
import type { StoredResult } from './result-store.js';

/**
 * What a protocol revision supports. `any`: structured content of any type. `objects`: structured content must be an
 * object. `plain`: no structured content and no resource links.
 */
export type ResultShape = 'plain' | 'objects' | 'any';

/** Maximum number of text characters in one result. */
export const textLimit = 100_000;

/** Stores a large result and returns the URI to read it. */
export type StoreResult = (result: StoredResult) => string;

/**
 * The content parts of an upstream answer, unchanged. Only text that is too long for one result is truncated, with a link to
 * the whole text.
 */
export function partsContent(
  parts: readonly JsonObject[],
  shape: ResultShape,
  storeResult: StoreResult,
): JsonObject[] {
  let remaining = textLimit;
  return parts.flatMap((part) => {
    const { type, text } = part;
    if (type !== 'text' || typeof text !== 'string') return [shape === 'plain' ? plainPart(part) : part];
    if (text.length <= remaining) {
      remaining -= text.length;
      return [part];
    }
    const truncated = truncatedText(text, 'text/plain', shape, storeResult, remaining);
    remaining = 0;
    return [{ ...part, text: truncated[0]?.text ?? '' }, ...truncated.slice(1)];
  });
}

/**
 * Binary content: an image or sound as such, everything else as an embedded resource with its type. A line of text
 * says what it is, for models that cannot read it.
 */
export function binaryContent(
  data: string,
  { mimeType, bytes }: BinaryContent,
  uri: string,
  shape: ResultShape,
): JsonObject[] {
  const note = { type: 'text', text: `binary content: ${mimeType}, ${bytes.toLocaleString('en')} bytes` };
  const [kind] = mimeType.split('/', 1);
  if (kind === 'image') return [note, { type: 'image', data, mimeType }];
  if (kind === 'audio' && shape !== 'plain') return [note, { type: 'audio', data, mimeType }];
  return [note, { type: 'resource', resource: { uri, mimeType, blob: data } }];
}

/** The start of a text that is too long, a note about the rest, and a link to the whole text. */
export function truncatedText(
  text: string,
  mimeType: string,
  shape: ResultShape,
  storeResult: StoreResult,
  maxLength = textLimit,
): JsonObject[] {
  const uri = storeResult({ text, mimeType });
  const shown = takeCharacters(text, maxLength);
  const note = `[truncated: this is the first ${shown.length} of ${text.length} characters. Read the rest with resources/read at ${uri}?offset=${shown.length}&limit=${textLimit}. It is available for ten minutes.]`;
  const size = Buffer.byteLength(text);
  const link = { type: 'resource_link', uri, name: 'result', title: 'The whole result', mimeType, size };
  return [{ type: 'text', text: shown }, { type: 'text', text: note }, ...(shape === 'plain' ? [] : [link])];
}

/** The first `length` characters, without splitting a surrogate pair. */
export function takeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The oldest revisions have only text, images and resources. Other parts are described in text. */
function plainPart(part: JsonObject): JsonObject {
  switch (part.type) {
    case 'image':
    case 'resource':
      return part;
    case 'resource_link':
      return { type: 'text', text: `${part.title ?? part.name ?? 'a resource'}: ${part.uri}` };
    default:
      return {
        type: 'text',
        text: `[content of type ${String(part.type)}, which this client does not support]`,
      };
  }
}
