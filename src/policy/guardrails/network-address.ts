import { patternFinder, type SpanFinder, type TextSpan } from './text-span.js';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`);
const maxLength = 45;

/** IPv4 and IPv6. A number with more dots is something else, such as a long version. */
export const findIpAddresses: SpanFinder = (text) => {
  const found: TextSpan[] = [];
  for (const { index, 0: run } of text.matchAll(/[0-9A-Fa-f:.]+/g)) {
    // Punctuation of the sentence around it.
    const lead = /^\.+|^:(?!:)/.exec(run)?.[0].length ?? 0;
    const word = run.slice(lead).replace(/\.+$|(?<!:):$/, '');
    const span = { start: index + lead, end: index + lead + word.length };
    if (word.length > maxLength || touchesWord(text, span)) continue;
    if (ipv4.test(word) || isIpv6(word)) found.push(span);
    else {
      // `10.0.0.1:8080` is an address with a port.
      const bare = /^([\d.]{7,15}):\d{1,5}$/.exec(word)?.[1];
      if (bare !== undefined && ipv4.test(bare))
        found.push({ start: span.start, end: span.start + bare.length });
    }
  }
  return found;
};

function touchesWord(text: string, { start, end }: TextSpan): boolean {
  return (
    /[\p{L}\p{N}_\uF8FF-]/u.test(text.charAt(start - 1)) || /[\p{L}\p{N}_\uF8FF]/u.test(text.charAt(end))
  );
}

function isIpv6(word: string): boolean {
  // Identifiers in code also use two colons.
  if (!/\d/.test(word) && word.split(/:+/).length < 4) return false;
  const halves = word.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((it) => (it === '' ? [] : it.split(':')));
  const all = groups.flat();
  const tail = all.at(-1) ?? '';
  const mapped = tail.includes('.');
  if (mapped && !ipv4.test(tail)) return false;
  const plain = mapped ? all.slice(0, -1) : all;
  if (!plain.every((it) => /^[0-9A-Fa-f]{1,4}$/.test(it))) return false;
  const size = plain.length + (mapped ? 2 : 0);
  return halves.length === 2 ? size < 8 : size === 8;
}

/** MAC addresses, except all zeros and broadcast. */
export const findMacAddresses: SpanFinder = (text) =>
  patternFinder(
    /(?<![:.-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![:-][0-9A-Fa-f])|(?<![:.-])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?!\.[0-9A-Fa-f])/g,
    (match) => !/^(?:0+|f+)$/i.test(match.replace(/[:.-]/g, '')),
  )(text);
