// SECURITY.md: "Tampering is detected". Every change in the audit log or its checkpoints is found, down to
// one bit.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryHash } from '../../../src/store/audit-hash.js';
import { openAuditLog } from '../../../src/store/audit-opening.js';
import { checkpointPaths } from '../../../src/store/checkpoints.js';
import { openSqlite, type SqliteConnection } from '../../../src/store/sqlite/sqlite.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import type { AuditTable } from '../../../src/store/state-tables.js';
import { StoredAuditLog } from '../../../src/store/stored-audit-log.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const folder = temporaryFolder();
const original = join(folder.path, 'original');
const entryCount = 40;
const entriesPerHost = 10;
afterAll(() => folder.remove());

beforeAll(async () => {
  let clock = Date.UTC(2026, 0, 1);
  mkdirSync(original, { mode: 0o700 });
  // Several hosts, one after another; each writes a checkpoint when it closes.
  for (let host = 0; host < entryCount / entriesPerHost; host++) {
    const database = openDatabase(original);
    const { audit: log } = await openAuditLog(
      database,
      checkpointPaths(original),
      () => clock++,
      () => 'mutation',
    );
    for (let index = 0; index < entriesPerHost; index++)
      await log.append({ kind: 'intent', body: { callId: `${host}-${index}`, note: 'ünïcode "quoted"' } });
    await log.close();
    await database.destroy();
  }
});

async function verdictOf(state: string) {
  const auditLog = StoredAuditLog.open(state, checkpointPaths(state));
  try {
    return await auditLog.verify();
  } finally {
    auditLog.close();
  }
}

/** Verifies a copy of the state with one change. */
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

/** Rebuilds the hash chain, like an attacker who knows its format. */
function rebuildChain(rows: readonly AuditTable[]): AuditTable[] {
  let previous = '0'.repeat(64);
  return rows.map((it, index) => {
    const entry = { ...it, seq: index + 1, previous };
    previous = entryHash(entry);
    return { ...entry, hash: previous };
  });
}

test('control: an unchanged copy passes verification', async () => {
  const verdict = await changed(() => {});
  expect(verdict).toMatchObject({
    ok: true,
    entries: entryCount + 3,
    checkpoints: 4,
    sealed: entryCount + 3,
  });
});

const place = fc.nat({ max: entryCount + 2 });
const field = fc.constantFrom('seq', 'at', 'kind', 'body', 'previous', 'hash');

test('one changed bit in any field of any entry is detected', async () => {
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
      expect(verdict.problem).toMatch(/entry|checkpoint/);
    }),
    { numRuns: 60 },
  );
});

test('one changed bit in any byte of the checkpoints is detected', async () => {
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

describe('checkpoints detect a change even if the hash chain is rebuilt', () => {
  const edits: readonly (readonly [string, (rows: AuditTable[], at: number) => AuditTable[]])[] = [
    ['a removed entry', (rows, at) => rows.toSpliced(at, 1)],
    ['two swapped entries', (rows, at) => rows.toSpliced(at, 2, ...rows.slice(at, at + 2).reverse())],
    [
      'an inserted entry',
      (rows, at) => rows.toSpliced(at, 0, { ...(rows[at] as AuditTable), kind: 'refusal' }),
    ],
    ['a changed entry', (rows, at) => rows.with(at, { ...(rows[at] as AuditTable), body: '{}' })],
    ['the newest entries cut off', (rows, at) => rows.slice(0, at)],
    ['all entries removed', () => []],
  ];
  test.each(edits)('%s', async (_, edit) => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: entryCount }), async (at) => {
        const verdict = await changed((database) =>
          rewrite(database, rebuildChain(edit(rowsOf(database), at))),
        );
        expect(verdict.ok).toBe(false);
      }),
      { numRuns: 8 },
    );
  });

  test('control: without checkpoints, a rebuilt chain passes verification', async () => {
    const verdict = await changed((database, state) => {
      const rows = rowsOf(database).filter((it) => it.kind !== 'checkpoint');
      rewrite(database, rebuildChain(rows.with(3, { ...(rows[3] as AuditTable), body: '{}' })));
      rmSync(join(state, 'checkpoints'), { recursive: true });
    });
    expect(verdict).toMatchObject({ ok: true, checkpoints: 0 });
  });
});

describe('a change of the checkpoint file is detected', () => {
  const file = (state: string) => join(state, 'checkpoints', 'audit.checkpoints');
  const edits: readonly (readonly [string, (all: string[]) => string[]])[] = [
    ['the first one removed', (all) => all.slice(1)],
    ['one removed', (all) => all.toSpliced(2, 1)],
    ['the last two removed', (all) => all.slice(0, 2)],
    ['all removed', () => []],
    ['two swapped', (all) => all.toSpliced(1, 2, ...all.slice(1, 3).reverse())],
    ['one duplicated', (all) => all.toSpliced(1, 0, all[1] as string)],
  ];
  test.each(edits)('%s', async (_, edit) => {
    const verdict = await changed((_database, state) => {
      const all = readFileSync(file(state), 'utf8').match(/(?:[^\n]+\n)+\n\u2014 [^\n]+\n\n/gu) ?? [];
      expect(all).toHaveLength(4);
      writeFileSync(file(state), edit([...all]).join(''));
    });
    expect(verdict).toMatchObject({ ok: false, problem: expect.stringContaining('checkpoint') });
  });

  test('checkpoints signed with another key are detected', async () => {
    const verdict = await changed((_, state) => {
      rmSync(join(state, 'audit.key'));
      const other = join(folder.path, 'other');
      mkdirSync(other, { recursive: true });
      writeFileSync(join(state, 'checkpoints', 'audit.public.pem'), otherKey);
    });
    expect(verdict).toMatchObject({ ok: false, problem: expect.stringContaining('signed') });
  });
});

/** A public key that did not sign anything here. */
const otherKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`;
