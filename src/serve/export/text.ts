// Words of a stranger on their way into files that other programs act on.
import { findHidden } from '../../model/unicode.js';

/** Line ends made one, hidden characters left out. */
export function cleanText(text: string): { readonly text: string; readonly removed: number } {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const hidden = findHidden(plain);
  let kept = '';
  let from = 0;
  for (const { index, codePoint } of hidden) {
    kept += plain.slice(from, index);
    from = index + String.fromCodePoint(codePoint).length;
  }
  return { text: kept + plain.slice(from), removed: hidden.length };
}

/**
 * Without the author's header. Clients take tools, hooks and permissions from there, and an agent does not give itself
 * any.
 */
export function withoutHeader(text: string): string {
  let rest = text.replace(/^\uFEFF/, '');
  for (;;) {
    const header = /^\s*---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(rest);
    if (header === null) return rest.replace(/^(?:[ \t]*\r?\n)+/, '');
    rest = rest.slice(header[0].length);
  }
}

/** A header of our own; values are quoted so that none of them can end it. */
export function withHeader(fields: Readonly<Record<string, string | boolean>>, text: string): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? JSON.stringify(oneLine(value)) : value}`,
  );
  return `---\n${lines.join('\n')}\n---\n\n${ended(text)}`;
}

export function oneLine(text: string): string {
  return cleanText(text).text.replace(/\s+/g, ' ').trim();
}

export function ended(text: string): string {
  return `${text.trimEnd()}\n`;
}

/** Notations by which a client runs a command or reads a file when it loads a text. */
export type Notation = 'claude' | 'gemini';

const include = String.raw`(?<![^\s(])@(?=(?:~|\.{1,2})?\/|[\w./-]+\.md\b)`;
const live: Record<Notation, RegExp> = {
  claude: new RegExp(String.raw`!(?=\x60)|(?<=\x60{3})!|${include}`, 'g'),
  gemini: new RegExp(String.raw`[!@](?=\{)|${include}`, 'g'),
};

/** The same words with a space in such places: they are read, and nothing happens. */
export function disarm(text: string, notation: Notation): { readonly text: string; readonly count: number } {
  let count = 0;
  const safe = text.replace(live[notation], (sign) => {
    count++;
    return sign === '!' ? ' ! ' : `${sign} `;
  });
  return { text: safe, count };
}

export function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (it) => names[it] as string);
}

/** One word for a shell, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
