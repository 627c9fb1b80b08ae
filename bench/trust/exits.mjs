// Known values: a run says a value of the vault in some spelling at some place, and everything that comes out of the real
// exit is searched for what it said.
import { chance, letters } from './chance.mjs';
import { noSettings, setting } from './look.mjs';
import { channels, packedSpellings, spellings } from './spellings.mjs';

/** Compressed data in one piece; a split one is not unpacked. */
const wholeChannels = ['text', 'bare', 'field', 'log', 'warning', 'error', 'progress'];
const ways = [
  ...channels.flatMap((channel) => spellings.map((spelling) => [spelling, channel])),
  ...channels
    .filter(([name]) => wholeChannels.includes(name))
    .flatMap((channel) => packedSpellings.map((spelling) => [spelling, channel])),
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
      scan = await new scanner.SecretScanner(vault, noSettings).forCall(
        packageOf('p0', []),
        new Map(),
        setting,
      );
    }
    const { value, package: owner, slot } = lot.pick(entries);
    const [[spelling, spell, least], [channel, act]] = ways[index % ways.length];
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
    const result = await exit.withScannedOutput(scan, request, async (guarded) => {
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
