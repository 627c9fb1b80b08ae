import { isObject, type Json } from '../../../model/json.js';
import { escapeHtml } from '../../export/text.js';
import { reveal, revealJson, revealLine } from '../../print/reveal.js';

/** A longer value is folded. It is complete in the page, and opens without a script. */
const maxOpen = { characters: 600, lines: 12 };
/** Characters of a folded value that stay visible. */
const preview = 120;

/** All arguments in full, one per row, with hidden characters made visible. */
export function argumentRows(callArguments: Json): string {
  const entries = isObject(callArguments) ? Object.entries(callArguments) : [];
  if (isObject(callArguments) && entries.length === 0) return '<p class="dim">No arguments.</p>';
  if (entries.length === 0) return valueView(revealJson(callArguments));
  const rows = entries.map(([name, value]) => {
    // A text is shown without quotes; its type is named, so that it cannot pass for another value.
    const isText = typeof value === 'string';
    const kind = isText ? (value === '' ? ' (empty text)' : ' (text)') : '';
    const shown = isText ? reveal(value) : revealJson(value);
    return `<dt>${escapeHtml(revealLine(name))}${kind}</dt><dd>${valueView(shown)}</dd>`;
  });
  return `<dl class="arguments">${rows.join('')}</dl>`;
}

function valueView(text: string): string {
  const whole = `<pre>${escapeHtml(text)}</pre>`;
  const lines = text.split('\n').length;
  if (text.length <= maxOpen.characters && lines <= maxOpen.lines) return whole;
  const start = [...text.slice(0, preview * 2)].slice(0, preview).join('').replaceAll('\n', ' ⏎ ');
  const size = `${text.length.toLocaleString('en')} characters, ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`;
  return `<details><summary>${escapeHtml(start)}… <span class="dim">(show all: ${size})</span></summary>${whole}</details>`;
}
