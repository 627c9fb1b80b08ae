import type { ReleaseSummary } from '../names/release-summary.js';
import { indexedText } from './search-words.js';

/** The texts of a package that a search looks at, the most important first. */
export function summaryTexts({ name, title, description, tags, tools }: ReleaseSummary): readonly string[] {
  return [
    indexedText(`${name} ${title}`),
    indexedText([...tools, ...tags].join(' ')),
    indexedText(description),
  ];
}
