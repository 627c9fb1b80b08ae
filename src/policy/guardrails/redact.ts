import { isObject, type Json } from '../../model/json.js';
import { type PersonalCategory, personalCategories, unknownCategories } from '../../model/personal.js';
import { findCards, findIbans } from './account.js';
import { findEmails, findPhones } from './contact.js';
import { findAddresses, findHardware } from './machine-address.js';
import { findNationalIds } from './national-id.js';
import { type Finder, gone } from './span.js';
import { type Sha256, walletFinder } from './wallet.js';

/** Replaces personal data in all texts of a value, and numbers that are card numbers; keys and structure stay. */
export function redactPersonal(value: Json, categories: readonly string[], sha256: Sha256): Json {
  const [lost] = unknownCategories(categories);
  if (lost !== undefined) throw new Error(`no category is called ${lost}`);
  const finders = findersOf(categories, sha256);
  return finders.length === 0 ? value : redact(value, finders);
}

type Named = readonly [category: PersonalCategory, find: Finder];

function findersOf(categories: readonly string[], sha256: Sha256): Named[] {
  const all: Readonly<Record<PersonalCategory, Finder>> = {
    iban: findIbans,
    credit_card: findCards,
    crypto_wallet: walletFinder(sha256),
    email: findEmails,
    mac_address: findHardware,
    ip_address: findAddresses,
    national_id: findNationalIds,
    phone: findPhones,
  };
  return personalCategories.filter((it) => categories.includes(it)).map((it) => [it, all[it]]);
}

function redact(value: Json, finders: readonly Named[]): Json {
  if (typeof value === 'string') return redactText(value, finders);
  if (typeof value === 'number') {
    const cards = finders.filter(([category]) => category === 'credit_card');
    const text = String(value);
    return redactText(text, cards) === text ? value : '[redacted:credit_card]';
  }
  if (Array.isArray(value)) return value.map((it) => redact(it, finders));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redact(member, finders)]));
}

/** What stood beside something that is gone now may be recognized only then. */
const maxRounds = 8;

function redactText(text: string, finders: readonly Named[]): string {
  let current = text;
  for (let round = 0; round < maxRounds; round++) {
    const next = redactOnce(current, finders);
    if (next === current) break;
    current = next;
  }
  return current;
}

function redactOnce(text: string, finders: readonly Named[]): string {
  const masked = text.replace(/\[redacted:[a-z_]+\]/g, (it) => gone.repeat(it.length));
  const found = finders.flatMap(([category, find], rank) =>
    find(masked).map(({ start, end }) => ({ start, end, category, rank })),
  );
  if (found.length === 0) return text;
  found.sort((a, b) => a.start - b.start || a.rank - b.rank);
  const joined: { start: number; end: number; category: PersonalCategory; rank: number }[] = [];
  for (const it of found) {
    const last = joined.at(-1);
    if (last === undefined || it.start >= last.end) {
      joined.push({ ...it });
      continue;
    }
    last.end = Math.max(last.end, it.end);
    if (it.rank < last.rank) ({ category: last.category, rank: last.rank } = it);
  }
  let clean = '';
  let done = 0;
  for (const { start, end, category } of joined) {
    clean += `${text.slice(done, start)}[redacted:${category}]`;
    done = end;
  }
  return clean + text.slice(done);
}
