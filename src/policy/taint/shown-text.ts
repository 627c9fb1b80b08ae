// What programs that show HTML or Markdown make of a text: a link that is spelled in another way is a link there.
import { unescapedViews } from '../scan/decoded-view.js';

/** A text, and the texts that a reader may see instead of it. */
export function shownTexts(text: string): Set<string> {
  const forms = unescapedViews(text).map((it) => it.text);
  if (text.includes('&')) forms.push(text.replace(entity, decoded));
  if (/[<*`~]/.test(text)) forms.push(...forms.map((it) => it.replace(markup, '')));
  return new Set(forms);
}

/** Tags, and signs of Markdown inside of words. */
const markup = /<[^<>]{0,1000}>|[*`]+|~~/g;

const names = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", period: '.', colon: ':', sol: '/', bsol: '\\' },
  ...{ commat: '@', lowbar: '_', quest: '?', equals: '=', num: '#', percnt: '%', tab: '\t', newline: '\n' },
} satisfies Record<string, string>;

/** As browsers read them: a number needs no semicolon, and may begin with any zeros. */
const entity = new RegExp(
  `&(?:#0*(\\d{1,7});?|#x0*([0-9a-f]{1,6});?|(${Object.keys(names).join('|')});)`,
  'gi',
);

function decoded(all: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return names[name.toLowerCase() as keyof typeof names];
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : all;
}
