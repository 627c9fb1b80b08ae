// Bounds of JSON that comes from outside, checked on its bytes or characters before anything parses it: a text of a few
// megabytes can become hundreds of megabytes of values, and every function that walks over them would be slow or overflow.
import type { Json } from './json.js';

export interface JsonLimits {
  /** Bytes, or characters of a text. The reader of a stream usually has a smaller limit. */
  readonly bytes: number;
  /** Levels of objects and lists inside each other. */
  readonly depth: number;
  /** Opening brackets, commas and colons outside strings: at least the number of values, at most twice of it. */
  readonly values: number;
}

/** The limit that a text exceeds. */
export interface JsonExcess {
  readonly limit: keyof JsonLimits;
  readonly max: number;
}

const mebibyte = 1024 * 1024;

/** Arguments may have 100 levels, and a message wraps them in a few more. So many values take about 20 ms to check. */
export const requestLimits: JsonLimits = { bytes: 16 * mebibyte, depth: 128, values: 100_000 };

/** Levels of the value that a tool answers with. */
export const maxAnswerDepth = 200;

/** Answers of tools and servers. Eight megabytes of table rows have about a million commas, colons and brackets. */
export const answerLimits: JsonLimits = {
  bytes: 1024 * mebibyte,
  // A message wraps the value in a few more levels.
  depth: maxAnswerDepth + 10,
  values: 1_000_000,
};

/** Small documents that servers publish or that packages contain, such as package.json. */
export const documentLimits: JsonLimits = { bytes: 16 * mebibyte, depth: 64, values: 500_000 };

/** A text was not parsed, because it exceeds a limit. */
export class JsonExcessError extends Error {
  readonly excess: JsonExcess;

  constructor(excess: JsonExcess) {
    super(`the JSON ${excessText(excess)}`);
    this.name = 'JsonExcessError';
    this.excess = excess;
  }
}

/** For messages, after a subject: "the body" + this. */
export function excessText({ limit, max }: JsonExcess): string {
  const count = max.toLocaleString('en');
  switch (limit) {
    case 'bytes':
      return `is larger than ${count} bytes`;
    case 'depth':
      return `is nested more than ${count} levels deep`;
    case 'values':
      return `has too many values: more than ${count} brackets, commas and colons`;
  }
}

/** Parses JSON within limits. Throws a `JsonExcessError`, or a `SyntaxError` if the text is not valid. */
export function parseBounded(text: string, limits: JsonLimits): Json {
  const excess = jsonExcess(text, limits);
  if (excess !== undefined) throw new JsonExcessError(excess);
  return JSON.parse(text) as Json;
}

/** Parses JSON within limits; undefined if the text exceeds one or is not valid. */
export function tryParseBounded(text: string, limits: JsonLimits): Json | undefined {
  try {
    return parseBounded(text, limits);
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
/** `[` and `{` differ from `]` and `}` by two, and from each other by this bit. */
const curlyBit = 0x20;
const opening = 0x7b;
const closing = 0x7d;
/** Most strings are shorter; a search for the end of a longer one pays off. */
const shortString = 32;

/** The limit that a text exceeds; undefined if it is within all of them. Invalid JSON is measured too, not rejected. */
export function jsonExcess(text: string, limits: JsonLimits): JsonExcess | undefined {
  const { bytes, depth: maxDepth, values: maxValues } = limits;
  const { length } = text;
  if (length > bytes) return { limit: 'bytes', max: bytes };
  // So few characters cannot exceed anything.
  if (length <= maxDepth && length <= maxValues) return undefined;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) {
      at = endOfString(text, at + 1);
    } else if (unit === comma || unit === colon) {
      if (++values > maxValues) return { limit: 'values', max: maxValues };
    } else if ((unit | curlyBit) === opening) {
      if (++depth > maxDepth) return { limit: 'depth', max: maxDepth };
      if (++values > maxValues) return { limit: 'values', max: maxValues };
    } else if ((unit | curlyBit) === closing) {
      depth--;
    }
  }
  return undefined;
}

/** The position of the closing quote; the end of the text if there is none. */
export function endOfString(text: string, start: number): number {
  const { length } = text;
  const near = Math.min(length, start + shortString);
  let at = start;
  for (; at < near; at++) {
    const unit = text.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === quote) return at;
  }
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) return length;
    let first = end;
    while (first > at && text.charCodeAt(first - 1) === backslash) first--;
    if ((end - first) % 2 === 0) return end;
    at = end + 1;
  }
}

/** Measures JSON that arrives in pieces, so that a text over a limit is rejected before all of it is received. */
export class JsonMeter {
  readonly #limits: JsonLimits;
  #bytes = 0;
  #depth = 0;
  #values = 0;
  #inString = false;
  #escaped = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Measures the next bytes. After an excess, the rest need not be given. */
  add(chunk: Uint8Array): JsonExcess | undefined {
    const { bytes: maxBytes, depth: maxDepth, values: maxValues } = this.#limits;
    const { length } = chunk;
    if (length === 0) return undefined;
    this.#bytes += length;
    if (this.#bytes > maxBytes) return { limit: 'bytes', max: maxBytes };
    let depth = this.#depth;
    let values = this.#values;
    for (let at = this.#inString ? this.#endOfString(chunk, 0) : 0; at < length; at++) {
      const unit = chunk[at] as number;
      if (unit === quote) {
        at = this.#endOfString(chunk, at + 1) - 1;
      } else if (unit === comma || unit === colon) {
        if (++values > maxValues) return { limit: 'values', max: maxValues };
      } else if ((unit | curlyBit) === opening) {
        if (++depth > maxDepth) return { limit: 'depth', max: maxDepth };
        if (++values > maxValues) return { limit: 'values', max: maxValues };
      } else if ((unit | curlyBit) === closing) {
        depth--;
      }
    }
    this.#depth = depth;
    this.#values = values;
    return undefined;
  }

  /** The position after the closing quote. The end of the chunk if the string, or its last escape, continues after it. */
  #endOfString(chunk: Uint8Array, start: number): number {
    const { length } = chunk;
    let at = start;
    this.#inString = true;
    if (this.#escaped) at++;
    this.#escaped = false;
    const near = Math.min(length, at + shortString);
    for (; at < near; at++) {
      const unit = chunk[at];
      if (unit === backslash) at++;
      else if (unit === quote) {
        this.#inString = false;
        return at + 1;
      }
    }
    while (at < length) {
      const end = chunk.indexOf(quote, at);
      const stop = end === -1 ? length : end;
      let first = stop;
      while (first > at && chunk[first - 1] === backslash) first--;
      const isEscaped = (stop - first) % 2 === 1;
      if (end === -1) {
        this.#escaped = isEscaped;
        return length;
      }
      at = end + 1;
      if (isEscaped) continue;
      this.#inString = false;
      return at;
    }
    // An escape at the end of the chunk: the loop went one byte beyond it.
    this.#escaped = at > length;
    return length;
  }
}
