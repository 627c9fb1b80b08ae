// Known values: a run says a value of the vault in some spelling at some place, and everything that comes out of the real
// exit is searched for what it said.
import { chance, letters } from './chance.mjs';
import { setting } from './look.mjs';

const bytes = (text) => Buffer.from(text);
const reversed = (text) => [...text].reverse().join('');

/** Name, how it is spelled, and how many letters and digits of it in a row would be a leak. */
const spellings = [
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
];

/** Where a run can say something; each gives what the run does. */
const channels = [
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

const symbols = `${letters}!@#$%^&*()-_=+[]{};:,./?~"'<> äöüß`;

/** What people keep: tokens, passwords with signs, URLs with credentials, keys in lines. */
function secretOf(lot) {
  switch (lot.below(5)) {
    case 0:
      return `tok_${lot.text(20 + lot.below(40), letters)}`;
    case 1:
      return lot.text(16 + lot.below(24), symbols);
    case 2:
      return `https://hooks.example.org/${lot.text(24, letters)}`;
    case 3:
      return Array.from({ length: 4 }, () => lot.text(32, letters)).join('\n');
    default:
      return lot.text(40, '0123456789abcdef');
  }
}

const packageOf = (id, slots) => ({ id, slots });

export async function exitCases(parts, count, seed) {
  const { scanner, exit, error } = parts;
  const lot = chance(seed);
  const leaks = [];
  let silent = 0;
  let vault;
  let scan;
  let entries;
  for (let index = 0; index < count; index++) {
    if (index % 100 === 0) {
      entries = Array.from({ length: 20 }, (_, at) => ({
        package: `p${at >> 1}`,
        slot: `KEY${at}`,
        value: secretOf(lot),
      }));
      vault = { all: async () => entries, generation: () => index };
      scan = await new scanner.Scanner(vault).forCall(packageOf('p0', []), new Map(), setting);
    }
    const { value, package: owner, slot } = lot.pick(entries);
    const [spelling, spell, least] = spellings[index % spellings.length];
    const [channel, act] = channels[Math.floor(index / spellings.length) % channels.length];
    const said = spell(value, lot);
    const out = await passed(exit, error.HostError, scan, act(said));
    const name = owner === 'p0' ? slot : `${owner}/${slot}`;
    if (!out.includes(`[redacted:`)) silent++;
    const bare = strip(out);
    const spoken = strip(said);
    for (let at = 0; at + least <= spoken.length; at++) {
      if (!bare.includes(spoken.slice(at, at + least))) continue;
      leaks.push({ spelling, channel, name });
      break;
    }
  }
  return {
    count,
    leaks: leaks.length,
    silent,
    where: [...new Set(leaks.map((it) => `${it.spelling} × ${it.channel}`))],
  };
}

const strip = (text) => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Everything that comes out, as one text: strings and keys, without the marks of JSON. */
async function passed(
  exit,
  HostError,
  scan,
  { value = null, warnings = [], error, hint, progress, ...rest },
) {
  const heard = [];
  const request = {
    onRefused: () => {},
    onProgress: (it) => heard.push(it.message),
    onRedacted: (it) => heard.push(JSON.stringify(it)),
  };
  try {
    const result = await exit.throughExit(scan, request, async (guarded) => {
      if (progress !== undefined) guarded.onProgress({ progress: 1, message: progress });
      if (error !== undefined) throw new HostError('tool_failed', error, hint === undefined ? {} : { hint });
      return { value, warnings, ...rest };
    });
    return texts([result, heard]).join('\n');
  } catch (thrown) {
    return texts([thrown.message, thrown.hint ?? '', heard]).join('\n');
  }
}

function texts(value) {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Array.isArray(value)
    ? value.flatMap(texts)
    : Object.entries(value).flatMap(([key, it]) => [key, ...texts(it)]);
}
