// SECURITY.md: "Every call …": a single change anywhere in the record or its checkpoints is found, down to one bit.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuditLog } from '../../src/store/audit.js';
import { hashOf } from '../../src/store/audit-check.js';
import { Checkpoints, checkpointPlaces } from '../../src/store/checkpoints.js';
import { type AuditTable, openDatabase } from '../../src/store/database.js';
import { openSqlite, type SqliteConnection } from '../../src/store/sqlite.js';
import { StoredAuditLog } from '../../src/store/stored-audit-log.js';
import { temporaryFolder } from '../toolwharf.js';

const folder = temporaryFolder();
const original = join(folder.path, 'original');
const lines = 40;
const sealedEach = 10;
afterAll(() => folder.remove());

beforeAll(async () => {
  let clock = Date.UTC(2026, 0, 1);
  mkdirSync(original, { mode: 0o700 });
  // Several hosts one after the other: each leaves a checkpoint when it ends.
  for (let host = 0; host < lines / sealedEach; host++) {
    const database = openDatabase(original);
    const log = new AuditLog(
      database,
      () => clock++,
      await Checkpoints.open(checkpointPlaces(original), () => clock++),
    );
    for (let index = 0; index < sealedEach; index++)
      await log.append({ kind: 'intent', body: { callId: `${host}-${index}`, note: 'ünïcode "quoted"' } });
    await log.close();
    await database.destroy();
  }
});

async function verdictOf(state: string) {
  const record = StoredAuditLog.open(state, checkpointPlaces(state));
  try {
    return await record.verify();
  } finally {
    record.close();
  }
}

/** A copy of the state with one thing changed. */
async function changed(change: (database: SqliteConnection, state: string) => void) {
  const state = join(folder.path, 'copy');
  rmSync(state, { recursive: true, force: true });
  cpSync(original, state, { recursive: true });
  const database = openSqlite(join(state, 'toolwharf.db'));
  change(database, state);
  database.close();
  return verdictOf(state);
}

const rowsOf = (database: SqliteConnection) =>
  database.all(
    'select seq, at, kind, body, previous, hash from audit order by seq',
    [],
  ) as unknown as AuditTable[];

function rewrite(database: SqliteConnection, rows: readonly AuditTable[]): void {
  database.exec('delete from audit');
  for (const { seq, at, kind, body, previous, hash } of rows)
    database.run('insert into audit values (?, ?, ?, ?, ?, ?)', [seq, at, kind, body, previous, hash]);
}

/** What somebody does who knows how the chain is made. */
function chainedAnew(rows: readonly AuditTable[]): AuditTable[] {
  let previous = '0'.repeat(64);
  return rows.map((it, index) => {
    const line = { ...it, seq: index + 1, previous };
    previous = hashOf(line);
    return { ...line, hash: previous };
  });
}

test('the control: untouched it is whole, and copying changes nothing', async () => {
  const verdict = await changed(() => {});
  expect(verdict).toMatchObject({ ok: true, entries: lines + 3, checkpoints: 4, sealed: lines + 3 });
});

const place = fc.nat({ max: lines + 2 });
const field = fc.constantFrom('seq', 'at', 'kind', 'body', 'previous', 'hash');

test('one bit of any field of any line', async () => {
  await fc.assert(
    fc.asyncProperty(place, field, fc.nat(), async (at, name, position) => {
      const verdict = await changed((database) => {
        const row = rowsOf(database)[at] as AuditTable;
        if (name === 'seq') {
          const free = row.seq ^ (1 << (6 + (position % 10)));
          database.run('update audit set seq = ? where seq = ?', [free, row.seq]);
          return;
        }
        const bytes = Buffer.from(row[name as 'body'], 'latin1');
        const index = position % bytes.length;
        bytes[index] = (bytes[index] as number) ^ 1;
        database.run(`update audit set ${name} = ? where seq = ?`, [bytes.toString('latin1'), row.seq]);
      });
      expect(verdict.ok).toBe(false);
      expect(verdict.problem).toMatch(/line|checkpoint/);
    }),
    { numRuns: 60 },
  );
});

test('one bit of any byte of the checkpoints', async () => {
  const file = (state: string) => join(state, 'checkpoints', 'audit.checkpoints');
  const size = readFileSync(file(original)).length;
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: size - 1 }), fc.nat({ max: 7 }), async (index, bit) => {
      const verdict = await changed((_, state) => {
        const bytes = readFileSync(file(state));
        bytes[index] = (bytes[index] as number) ^ (1 << bit);
        writeFileSync(file(state), bytes);
      });
      expect(verdict).toMatchObject({ ok: false, problem: expect.stringContaining('checkpoint') });
    }),
    { numRuns: 60 },
  );
});

describe('with the chain made anew after it, so that only checkpoints tell', () => {
  const edits: readonly (readonly [string, (rows: AuditTable[], at: number) => AuditTable[]])[] = [
    ['a line taken out', (rows, at) => rows.toSpliced(at, 1)],
    ['two lines swapped', (rows, at) => rows.toSpliced(at, 2, ...rows.slice(at, at + 2).reverse())],
    ['a line put in', (rows, at) => rows.toSpliced(at, 0, { ...(rows[at] as AuditTable), kind: 'refusal' })],
    ['a line changed', (rows, at) => rows.with(at, { ...(rows[at] as AuditTable), body: '{}' })],
    ['the newest lines cut off', (rows, at) => rows.slice(0, at)],
    ['everything gone', () => []],
  ];
  test.each(edits)('%s', async (_, edit) => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: lines }), async (at) => {
        const verdict = await changed((database) =>
          rewrite(database, chainedAnew(edit(rowsOf(database), at))),
        );
        expect(verdict.ok).toBe(false);
      }),
      { numRuns: 8 },
    );
  });

  test('the control: without checkpoints such a record passes', async () => {
    const verdict = await changed((database, state) => {
      const rows = rowsOf(database).filter((it) => it.kind !== 'checkpoint');
      rewrite(database, chainedAnew(rows.with(3, { ...(rows[3] as AuditTable), body: '{}' })));
      rmSync(join(state, 'checkpoints'), { recursive: true });
    });
    expect(verdict).toMatchObject({ ok: true, checkpoints: 0 });
  });
});

describe('checkpoints', () => {
  const file = (state: string) => join(state, 'checkpoints', 'audit.checkpoints');
  const edits: readonly (readonly [string, (all: string[]) => string[]])[] = [
    ['the first taken out', (all) => all.slice(1)],
    ['one taken out', (all) => all.toSpliced(2, 1)],
    ['one but the last two taken out', (all) => all.slice(0, 2)],
    ['all taken out', () => []],
    ['two swapped', (all) => all.toSpliced(1, 2, ...all.slice(1, 3).reverse())],
    ['one written twice', (all) => all.toSpliced(1, 0, all[1] as string)],
  ];
  test.each(edits)('%s', async (_, edit) => {
    const verdict = await changed((_database, state) => {
      const all = readFileSync(file(state), 'utf8').trimEnd().split('\n');
      writeFileSync(
        file(state),
        edit(all)
          .map((it) => `${it}\n`)
          .join(''),
      );
    });
    expect(verdict).toMatchObject({ ok: false, problem: expect.stringContaining('checkpoint') });
  });

  test('signed with another key', async () => {
    const verdict = await changed((_, state) => {
      rmSync(join(state, 'audit.key'));
      const other = join(folder.path, 'other');
      mkdirSync(other, { recursive: true });
      writeFileSync(join(state, 'checkpoints', 'audit.public.pem'), otherKey);
    });
    expect(verdict).toMatchObject({ ok: false, problem: expect.stringContaining('signed') });
  });
});

/** A public key of nobody. */
const otherKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`;
