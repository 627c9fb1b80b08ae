// In which ways a value can be said, and where.
import { deflateSync, gzipSync } from 'node:zlib';

const bytes = (text) => Buffer.from(text);
const reversed = (text) => [...text].reverse().join('');

/** Name, how it is spelled, and how many letters and digits of it in a row would be a leak. */
export const spellings = [
  ['raw', (it) => it, 12],
  ['upper', (it) => it.toUpperCase(), 12],
  ['lower', (it) => it.toLowerCase(), 12],
  ['json', (it) => JSON.stringify(it), 12],
  [
    'json-ascii',
    (it) =>
      JSON.stringify(it).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    12,
  ],
  ['url', (it) => encodeURIComponent(it), 12],
  ['url-lower', (it) => encodeURIComponent(it).replace(/%../g, (c) => c.toLowerCase()), 12],
  ['form', (it) => new URLSearchParams({ v: it }).toString(), 12],
  ['percent', (it) => [...bytes(it)].map((b) => `%${b.toString(16).padStart(2, '0')}`).join(''), 24],
  ['base64', (it) => bytes(it).toString('base64'), 16],
  ['base64-1', (it) => bytes(`a${it}xyz`).toString('base64'), 16],
  ['base64-2', (it) => bytes(`ab${it}x`).toString('base64'), 16],
  ['base64url', (it) => bytes(`key=${it}`).toString('base64url'), 16],
  ['base64-lines', (it) => bytes(it).toString('base64').replace(/.{5}/g, '$&\n'), 16],
  ['hex', (it) => bytes(it).toString('hex'), 24],
  ['hex-upper', (it) => bytes(it).toString('hex').toUpperCase(), 24],
  [
    'hex-colons',
    (it) =>
      bytes(it)
        .toString('hex')
        .replace(/..(?=.)/g, '$&:'),
    24,
  ],
  ['hex-marks', (it) => [...bytes(it)].map((b) => `0x${b.toString(16).padStart(2, '0')}`).join(' '), 24],
  ['reversed', reversed, 12],
  ['base64-reversed', (it) => bytes(reversed(it)).toString('base64'), 16],
  ['spaces', (it) => [...it].join(' '), 12],
  ['dashes', (it) => it.replace(/.{3}/gs, '$&-'), 12],
  ['dots', (it) => [...it].join('.'), 12],
  ['newlines', (it) => it.replace(/.{4}/gs, '$&\n'), 12],
  ['zero-width', (it) => [...it].join('\u200b'), 12],
  ['piece', (it, lot) => it.slice(lot.below(Math.max(1, it.length - 13))).slice(0, 13), 12],
  ['html', (it) => it.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`), 12],
  ['base64-url', (it) => encodeURIComponent(bytes(it).toString('base64')), 16],
  ['base32', (it) => base32(bytes(it)), 20],
  ['base32-lower', (it) => base32(bytes(`key=${it};`)).toLowerCase(), 20],
  ['rot13', rot13, 12],
  ['decimal', (it) => [...bytes(it)].join(' '), 30],
  ['decimal-list', (it) => `[${[...bytes(it)].join(', ')}]`, 30],
  ['octal', (it) => [...bytes(it)].map((b) => `\\${b.toString(8).padStart(3, '0')}`).join(''), 30],
  ['octal-words', (it) => [...bytes(it)].map((b) => b.toString(8)).join(' '), 30],
];

/** Compressed: found inside one text only, because a part of it says nothing. */
export const packedSpellings = [
  ['gzip-base64', (it) => gzipSync(it).toString('base64'), 16],
  ['gzip-base64-lines', (it) => gzipSync(`key: ${it}\n`).toString('base64').replace(/.{76}/g, '$&\n'), 16],
  ['gzip-hex', (it) => gzipSync(it).toString('hex'), 24],
  ['zlib-base64', (it) => deflateSync(`{"key":"${it}"}`).toString('base64'), 16],
];

function base32(data) {
  const bits = [...data].map((b) => b.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((it) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(it.padEnd(5, '0'), 2)])
    .join('');
}

function rot13(text) {
  return text.replace(/[A-Za-z]/g, (it) => {
    const base = it <= 'Z' ? 65 : 97;
    return String.fromCharCode(((it.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/** Where a run can say something; each gives what the run does. */
export const channels = [
  ['text', (said) => ({ value: `it is ${said} now` })],
  ['bare', (said) => ({ value: said })],
  ['field', (said) => ({ value: { a: 1, deep: [{ note: said }] } })],
  ['key', (said) => ({ value: { [said]: true } })],
  ['items', (said) => ({ value: { list: said.match(/.{1,5}/gs) ?? [] } })],
  [
    'fields',
    (said) => ({ value: { one: said.slice(0, said.length >> 1), two: said.slice(said.length >> 1) } }),
  ],
  ['letters', (said) => ({ value: [...said] })],
  ['log', (said) => ({ value: null, log: `debug: ${said}\n` })],
  ['warning', (said) => ({ value: null, warnings: [`careful: ${said}`] })],
  ['parts', (said) => ({ value: null, parts: [{ type: 'text', text: said }] })],
  [
    'resource',
    (said) => ({ value: null, parts: [{ type: 'resource', resource: { uri: 'a:b', text: said } }] }),
  ],
  ['picture', (said) => ({ value: null, parts: [{ type: 'image', mimeType: 'image/png', data: said }] })],
  ['meta', (said) => ({ value: null, meta: { trace: said } })],
  ['error', (said) => ({ error: said })],
  ['hint', (said) => ({ error: 'no', hint: said })],
  ['progress', (said) => ({ value: null, progress: said })],
];
