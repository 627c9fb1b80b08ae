// SECURITY.md: "The person sees what would run".
import { afterAll, beforeAll, expect, test } from 'vitest';
import { approvalQuestion } from '../../../src/serve/mcp/approval-question.js';
import { approvalsDocument } from '../../../src/serve/print/approval-document.js';
import { heldFacts, printFacts } from '../../../src/serve/print/held-call.js';
import { type Bank, openBank } from '../../support/bank.js';

let bank: Bank;
beforeAll(async () => {
  bank = await openBank();
});
afterAll(() => bank.close());

/** Name, deceptive text, how it must be shown, and what must not be shown. */
const tricks: readonly (readonly [string, string, string, RegExp])[] = [
  ['right-to-left override', 'alice\u202Eecila', 'alice<U+202E>ecila', /\u202E/],
  ['isolate characters', 'a\u2066b\u2069', 'a<U+2066>b<U+2069>', /[\u2066\u2069]/],
  ['zero-width space', 'ali\u200Bce', 'ali<U+200B>ce', /\u200B/],
  ['tag characters', `alice${String.fromCodePoint(0xe0061)}`, 'alice<U+E0061>', /\u{E0061}/u],
  ['terminal escape sequence', 'alice\u001B[2K\u001B[1Abob', 'alice\\u001b[2K', /\u001B/],
  ['carriage return', 'alice\rbob', 'alice\\rbob', /\r/],
  ['mixed alphabets', 'p\u0430ypal', 'p\u0430ypal<Cyrillic U+0430>', /p\u0430ypal(?!<)/],
  [
    'host name in another alphabet',
    '\u0430\u0440\u0440\u04CF\u0435.com',
    '<xn--80ak6aa92e.com>',
    /\.com(?!<)"/,
  ],
  ['unusual spaces', 'alice\u00A0\u2003bob', 'alice<U+00A0><U+2003>bob', /[\u00A0\u2003]/],
  ['text behind many spaces', `alice${' '.repeat(4000)}and bob`, 'alice<4000 spaces>and bob', / {100}/],
];

test.each(tricks)('deceptive text is visible on every channel: %s', async (_name, to, seen, hidden) => {
  bank.clock += 11 * 60_000;
  const token = await bank.hold({ to, amount: 5 });
  const request = await bank.bench.host.approvals.get(token);
  const terminal = printFacts(heldFacts(request));
  const asked = String(approvalQuestion(request).message);
  const { display, evidence } = approvalsDocument([request]).requests[0] as {
    display: string;
    evidence: { text: string }[];
  };
  for (const shown of [terminal, asked, display]) {
    expect(shown).toContain(seen);
    expect(shown).not.toMatch(hidden);
  }
  for (const { text } of evidence) expect(text).not.toMatch(/[\u202E\u2066\u200B\r\n]|\u001B/);
  // Control: the stored arguments contain the original text.
  expect(request.arguments).toMatchObject({ to });
  // Showing the call does not run it.
  expect(bank.paid()).toEqual([]);
});

test('the evidence lists effect, destination and amount first', async () => {
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

test('text that needs joiners and composed emoji is shown unchanged', async () => {
  const { reveal } = await import('../../../src/serve/print/reveal.js');
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
