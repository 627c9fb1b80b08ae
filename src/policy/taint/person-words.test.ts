import { describe, expect, test } from 'vitest';
import { readPlace } from './named-place.js';
import { hasControl, hasWords, namesPlace, readWords } from './person-words.js';

const names = (words: string, place: string) => namesPlace(readWords(words), readPlace(place), true);

describe('an address in the words of a person', () => {
  test.each([
    ['Write to ann.smith@mail.example', 'smith@mail.example'],
    ['Write to jim-bob@mail.example', 'bob@mail.example'],
    ['Write to team+ann@mail.example', 'ann@mail.example'],
    ['Write to a/ann@mail.example', 'ann@mail.example'],
    ['Write to bob@shop.co.uk', 'bob@shop.co'],
    ['Write to bob@shop.example-mail.com', 'bob@shop.example'],
    ['Write to bob@shop.example', 'bob@shop.example.evil.com'],
  ])('%s: does not vouch for %s, which can be somebody else', (words, place) => {
    expect(names(words, place)).toBe(false);
  });

  test.each([
    ['Write to ann.smith@mail.example.', 'Ann.Smith@mail.example'],
    ['Write to <bob@shop.co.uk>, please', 'mailto:bob@shop.co.uk'],
    ['Write to bob@shop.co.uk!', 'bob@shop.co.uk'],
    ['Write to bob@intranet, now', 'bob@intranet'],
  ])('%s: vouches for %s', (words, place) => expect(names(words, place)).toBe(true));
});

describe('a name', () => {
  test.each([
    ['Delete old-notes.md', 'notes.md'],
    ['Delete notes.md.bak', 'notes.md'],
    ['Post it in room team3', 'ｔeam3'],
    ['Post it in room team3', 'team٣'],
    ['Post it in room team3', 'tеam3'],
    ['Post it in room team3', 'team'],
  ])('%s: does not vouch for %s', (words, name) => expect(hasWords(readWords(words), name)).toBe(false));

  test.each([
    ['Delete notes.md.', 'notes.md'],
    ['Post it in room Team3', 'team3'],
    ['Ask Zoe\u0308 Stern', 'Zo\u00eb Stern'],
    ['Ask (Ann), then Bob', 'Ann'],
  ])('%s: vouches for %s', (words, name) => expect(hasWords(readWords(words), name)).toBe(true));
});

test('the ends of a range are values of their own', () => {
  const words = readWords('Book a table 10:00-11:30 on 2024-05-20');
  expect(['10:00', '11:30', '2024-05-20'].map((it) => hasControl(words, it))).toEqual([true, true, true]);
});
