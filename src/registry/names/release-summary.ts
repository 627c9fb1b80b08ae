// What a search finds: one line of the index per package, for its newest release.
import { isObject } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import { codePointName, replaceHidden } from '../../model/unicode.js';
import { canonicalText } from '../metadata/canonical-text.js';

/** What people search for. Taken from the manifest of the newest release. */
export interface ReleaseSummary {
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly format: string;
  readonly tags: readonly string[];
  readonly tools: readonly string[];
}

const maxText = 1000;
const maxList = 100;
const maxItem = 100;

/** The summary as it is stored: within limits, and with names instead of characters that cannot be seen. */
export function storedSummary(summary: ReleaseSummary): ReleaseSummary {
  return {
    name: summary.name,
    version: summary.version,
    title: plain(summary.title, maxItem * 2),
    description: plain(summary.description, maxText),
    format: plain(summary.format, maxItem),
    tags: summary.tags.slice(0, maxList).map((it) => plain(it, maxItem)),
    tools: summary.tools.slice(0, maxList).map((it) => plain(it, maxItem)),
  };
}

/** A part of the index: one line per package, sorted by name. */
export function writeSummaries(summaries: ReadonlyMap<string, ReleaseSummary>): Buffer {
  const names = [...summaries.keys()].sort();
  return Buffer.from(
    names.map((it) => `${canonicalText({ ...(summaries.get(it) as ReleaseSummary) })}\n`).join(''),
  );
}

/** Lines that are not a summary are left out: the index finds packages, it does not vouch for them. */
export function readSummaries(text: string): Map<string, ReleaseSummary> {
  const found = new Map<string, ReleaseSummary>();
  for (const line of text.split('\n')) {
    const value = line === '' ? undefined : tryParseBounded(line, documentLimits);
    if (!isObject(value) || typeof value.name !== 'string' || typeof value.version !== 'string') continue;
    const texts = (key: string) =>
      Array.isArray(value[key]) ? value[key].filter((it): it is string => typeof it === 'string') : [];
    const text = (key: string) => (typeof value[key] === 'string' ? value[key] : '');
    found.set(
      value.name,
      storedSummary({
        name: value.name,
        version: value.version,
        title: text('title'),
        description: text('description'),
        format: text('format'),
        tags: texts('tags'),
        tools: texts('tools'),
      }),
    );
  }
  return found;
}

/** Characters that cannot be seen are named, so that nobody reads another text than a program does. */
function plain(text: string, limit: number): string {
  const line = text.slice(0, 4 * limit).replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
  return replaceHidden(line, (codePoint) => `‹${codePointName(codePoint)}›`)
    .trim()
    .slice(0, limit)
    .replace(/[\p{Cs}]/gu, '');
}
