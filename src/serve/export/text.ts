// Makes an author's untrusted text safe to write into files that other programs act on.
import { replaceHidden } from '../../model/unicode.js';

/** Normalizes line ends and removes hidden characters. */
export function stripHidden(text: string): { readonly text: string; readonly removed: number } {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  let removed = 0;
  const kept = replaceHidden(plain, () => {
    removed++;
    return '';
  });
  return { text: kept, removed };
}

/**
 * Removes the author's front matter, because clients read tools, hooks and permissions from it, and an agent must not
 * grant itself any.
 */
export function withoutFrontMatter(text: string): string {
  let rest = text.replace(/^\uFEFF/, '');
  for (;;) {
    const header = /^\s*---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(rest);
    if (header === null) return rest.replace(/^(?:[ \t]*\r?\n)+/, '');
    rest = rest.slice(header[0].length);
  }
}

/** Adds our own front matter. Values are quoted, so that none of them can end it. */
export function withFrontMatter(fields: Readonly<Record<string, string | boolean>>, text: string): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? JSON.stringify(oneLine(value)) : value}`,
  );
  return `---\n${lines.join('\n')}\n---\n\n${withFinalNewline(text)}`;
}

export function oneLine(text: string): string {
  return stripHidden(text).text.replace(/\s+/g, ' ').trim();
}

export function withFinalNewline(text: string): string {
  return `${text.trimEnd()}\n`;
}

/** Syntax by which a client runs a command or includes a file when it loads a text. */
export type DirectiveSyntax = 'claude' | 'gemini';

const include = String.raw`(?<![^\s(])@(?=(?:~|\.{1,2})?\/|[\w./-]+\.md\b)`;
const directives: Record<DirectiveSyntax, RegExp> = {
  claude: new RegExp(String.raw`!(?=\x60)|(?<=\x60{3})!|${include}`, 'g'),
  gemini: new RegExp(String.raw`[!@](?=\{)|${include}`, 'g'),
};

/** Adds a space to each directive, so that the client reads it as text. */
export function neutralize(
  text: string,
  syntax: DirectiveSyntax,
): { readonly text: string; readonly count: number } {
  let count = 0;
  const safe = text.replace(directives[syntax], (sign) => {
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
