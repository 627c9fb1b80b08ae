// SECURITY.md: "A person is shown all that would run, and nothing in it can hide, turn around or pass for something else".
import { afterAll, beforeAll, expect, test } from 'vitest';
import { question } from '../../src/serve/mcp/hold.js';
import { approvalsDocument } from '../../src/serve/print/approval-document.js';
import { heldFacts, printFacts } from '../../src/serve/print/held-call.js';
import { type Bank, openBank } from './approvals/bank.js';

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank.close());

/** Texts that look like something else, what must be seen of them, and what must not get through. */
const tricks: readonly (readonly [string, string, string, RegExp])[] = [
  ['text that runs backwards', 'alice\u202Eecila', 'alice<U+202E>ecila', /\u202E/],
  ['isolates', 'a\u2066b\u2069', 'a<U+2066>b<U+2069>', /[\u2066\u2069]/],
  ['no width', 'ali\u200Bce', 'ali<U+200B>ce', /\u200B/],
  ['tag characters', `alice${String.fromCodePoint(0xe0061)}`, 'alice<U+E0061>', /\u{E0061}/u],
  ['a terminal sequence', 'alice\u001B[2K\u001B[1Abob', 'alice\\u001b[2K', /\u001B/],
  ['a carriage return', 'alice\rbob', 'alice\\rbob', /\r/],
  ['letters of another alphabet', 'p\u0430ypal', 'p\u0430ypal<Cyrillic U+0430>', /p\u0430ypal(?!<)/],
  ['a host of another alphabet', '\u0430\u0440\u0440\u04CF\u0435.com', '<xn--80ak6aa92e.com>', /\.com(?!<)"/],
  ['spaces that are none', 'alice\u00A0\u2003bob', 'alice<U+00A0><U+2003>bob', /[\u00A0\u2003]/],
  ['words far to the right', `alice${' '.repeat(4000)}and bob`, 'alice<4000 spaces>and bob', / {100}/],
];

test.each(tricks)('%s is visible on every channel', async (_name, to, seen, hidden) => {
  bank.clock += 11 * 60_000;
  const token = await bank.hold({ to, amount: 5 });
  const request = await bank.bench.host.approvals.get(token);
  const terminal = printFacts(heldFacts(request));
  const confirmation = { ...request, token, expiresAt: '', kind: 'approval' } as const;
  const asked = String(question(confirmation).message);
  const { display, evidence } = approvalsDocument([request]).requests[0] as {
    display: string;
    evidence: { text: string }[];
  };
  for (const shown of [terminal, asked, display]) {
    expect(shown).toContain(seen);
    expect(shown).not.toMatch(hidden);
  }
  for (const { text } of evidence) expect(text).not.toMatch(/[\u202E\u2066\u200B\r\n]|\u001B/);
  // Control: what is kept, and would run, has it.
  expect(request.arguments).toMatchObject({ to });
  // Nothing happened while it was looked at.
  expect(bank.paid()).toEqual([]);
});

test('where it goes, how much it moves and what it changes come first', async () => {
  bank.clock += 11 * 60_000;
  const token = await bank.hold({ to: 'https://evil.example/x', amount: 5000 });
  const { evidence } = await bank.bench.host.approvals.get(token);
  expect(evidence.map((it) => [it.kind, it.text, it.at])).toEqual([
    ['effect', expect.any(String), undefined],
    ['destination', `POST http://localhost:${bank.server.port}`, undefined],
    ['amount', 'amount: 5000', '/amount'],
    ['address', 'https://evil.example/x', '/to'],
    ['grant', `net:localhost:${bank.server.port}`, undefined],
  ]);
});

test('languages that need joiners, and emoji made of several, stay as they are', async () => {
  const { reveal } = await import('../../src/serve/print/reveal.js');
  for (const text of [
    'می\u200Cخواهم',
    'क्\u200Dष',
    '👩\u200D👩\u200D👧',
    'Ærøskøbing',
    '東京',
    'שלום',
    '5 µm',
  ])
    expect(reveal(text)).toBe(text);
});
