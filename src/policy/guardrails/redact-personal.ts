import { isObject, type Json } from '../../model/json.js';
import {
  type PersonalDataCategory,
  personalDataCategories,
  unknownPersonalData,
} from '../../model/personal-data.js';
import { findCards, findIbans } from './account-number.js';
import { findEmails, findPhones } from './contact.js';
import { findNationalIds } from './national-id.js';
import { findIpAddresses, findMacAddresses } from './network-address.js';
import { removedMark, type SpanFinder } from './text-span.js';
import { type Sha256, walletFinder } from './wallet.js';

/** Replaces personal data in all strings of a value, and numbers that are card numbers. Keys and structure stay. */
export function redactPersonal(value: Json, categories: readonly string[], sha256: Sha256): Json {
  const [unknown] = unknownPersonalData(categories);
  if (unknown !== undefined) throw new Error(`unknown category of personal data: ${unknown}`);
  const finders = findersOf(categories, sha256);
  return finders.length === 0 ? value : redact(value, finders);
}

type CategoryFinder = readonly [category: PersonalDataCategory, find: SpanFinder];

function findersOf(categories: readonly string[], sha256: Sha256): CategoryFinder[] {
  const all: Readonly<Record<PersonalDataCategory, SpanFinder>> = {
    iban: findIbans,
    credit_card: findCards,
    crypto_wallet: walletFinder(sha256),
    email: findEmails,
    mac_address: findMacAddresses,
    ip_address: findIpAddresses,
    national_id: findNationalIds,
    phone: findPhones,
  };
  return personalDataCategories.filter((it) => categories.includes(it)).map((it) => [it, all[it]]);
}

function redact(value: Json, finders: readonly CategoryFinder[]): Json {
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

/** Replacing one match can make another one next to it recognizable, so the search is repeated. */
const maxRounds = 8;

function redactText(text: string, finders: readonly CategoryFinder[]): string {
  let current = text;
  for (let round = 0; round < maxRounds; round++) {
    const next = redactOnce(current, finders);
    if (next === current) break;
    current = next;
  }
  return current;
}

function redactOnce(text: string, finders: readonly CategoryFinder[]): string {
  const masked = text.replace(/\[redacted:[a-z_]+\]/g, (it) => removedMark.repeat(it.length));
  const matches = finders.flatMap(([category, find], rank) =>
    find(masked).map(({ start, end }) => ({ start, end, category, rank })),
  );
  if (matches.length === 0) return text;
  matches.sort((a, b) => a.start - b.start || a.rank - b.rank);
  const merged: { start: number; end: number; category: PersonalDataCategory; rank: number }[] = [];
  for (const it of matches) {
    const last = merged.at(-1);
    if (last === undefined || it.start >= last.end) {
      merged.push({ ...it });
      continue;
    }
    last.end = Math.max(last.end, it.end);
    if (it.rank < last.rank) ({ category: last.category, rank: last.rank } = it);
  }
  let clean = '';
  let done = 0;
  for (const { start, end, category } of merged) {
    clean += `${text.slice(done, start)}[redacted:${category}]`;
    done = end;
  }
  return clean + text.slice(done);
}
