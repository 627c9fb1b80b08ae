// SECURITY.md: "A rollback is noticed". Entries and checkpoints are removed, replaced or signed again together, so that
// the state directory alone looks intact. An anchor outside of it contradicts.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHost, type HostOptions } from '../../../src/index.js';
import { anchorFile } from '../../../src/store/anchor-file.js';
import { entryHash, entryLeaf } from '../../../src/store/audit-hash.js';
import { openAuditLog } from '../../../src/store/audit-opening.js';
import { rollbackBody } from '../../../src/store/audit-rollback.js';
import { parseCheckpoint, signCheckpoint } from '../../../src/store/checkpoint.js';
import { checkpointPaths } from '../../../src/store/checkpoints.js';
import { emptyTree, treeRoot, withLeaf } from '../../../src/store/merkle-tree.js';
import { readRollbacks } from '../../../src/store/sqlite/audit-reading.js';
import { openSqlite } from '../../../src/store/sqlite/sqlite.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import type { AuditTable } from '../../../src/store/state-tables.js';
import { StoredAuditLog } from '../../../src/store/stored-audit-log.js';
import { temporaryFolder, until } from '../../support/toolwharf.js';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
const anchors = join(folder.path, 'anchors');
const older = join(folder.path, 'older');
const saved = join(folder.path, 'saved');
const file = join(state, 'checkpoints', 'audit.checkpoints');
afterAll(() => folder.remove());

const open = (options: Partial<HostOptions> = {}) =>
  createHost({ state, warm: false, watch: false, audit: { anchorFolder: anchors }, ...options });

/** Some entries, and a checkpoint when the host closes. */
async function run(names: readonly string[], options: Partial<HostOptions> = {}) {
  const host = await open(options);
  for (const it of names) await host.kills.set(it, 'attacker', true);
  await host.close();
}

async function verdict(withAnchors: boolean, anchor?: string) {
  const places = withAnchors ? [anchorFile(anchors, state)] : [];
  const log = StoredAuditLog.open(state, checkpointPaths(state), { places });
  return log.verify({ anchor }).finally(() => log.close());
}

beforeAll(async () => {
  await run(['one']);
  cpSync(state, older, { recursive: true });
  await run(['two', 'three']);
  cpSync(state, join(saved, 'state'), { recursive: true });
  cpSync(anchors, join(saved, 'anchors'), { recursive: true });
});

beforeEach(() => {
  for (const it of ['state', 'anchors']) {
    rmSync(join(folder.path, it), { recursive: true, force: true });
    cpSync(join(saved, it), join(folder.path, it), { recursive: true });
  }
});

const notesIn = (path: string) =>
  readFileSync(path, 'utf8').match(/(?:[^\n]+\n)+\n\u2014 [^\n]+\n\n/gu) ?? [];

function sql<T>(use: (database: ReturnType<typeof openSqlite>) => T): T {
  const database = openSqlite(join(state, 'toolwharf.db'));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Removes the entries after the first checkpoint, and the checkpoints of those entries. */
function cutBoth() {
  const [first = ''] = notesIn(file);
  const { size = 0 } = parseCheckpoint(first.slice(0, -1)) ?? {};
  sql((it) => {
    it.run('delete from audit where seq > ?', [size]);
    it.exec("update audit_tree set checkpoint = 0, edge = x''");
  });
  writeFileSync(file, first);
}

/** Changes an entry, and makes chain, tree and checkpoints anew with a key, as somebody who read this code would. */
function rewrite(pem: string) {
  const key = createPrivateKey(pem);
  writeFileSync(join(state, 'audit.key'), pem, { mode: 0o600 });
  const notes = notesIn(file).map((it) => parseCheckpoint(it.slice(0, -1)));
  sql((database) => {
    const rows = database.all('select * from audit order by seq', []) as unknown as AuditTable[];
    const digests = new Map<number, string>();
    let previous = '0'.repeat(64);
    let tree = emptyTree;
    let text = '';
    for (const row of rows) {
      const body = row.body.includes('two') ? row.body.replace('two', 'nothing') : mentioning(row, digests);
      const entry = { ...row, body, previous };
      previous = entryHash(entry);
      tree = withLeaf(tree, entryLeaf(previous));
      database.run('update audit set body = ?, previous = ?, hash = ? where seq = ?', [
        ...[body, entry.previous, previous, row.seq],
      ]);
      const old = notes.find((it) => it?.size === row.seq);
      if (old === undefined) continue;
      const root = treeRoot(tree).toString('base64');
      const { note, digest } = signCheckpoint({ origin: old.origin, size: row.seq, root }, key);
      digests.set(row.seq, digest);
      text += `${note}\n`;
    }
    database.exec("update audit_tree set checkpoint = 0, edge = x''");
    writeFileSync(file, text);
  });
}

function mentioning({ kind, body }: AuditTable, digests: ReadonlyMap<number, string>): string {
  if (kind !== 'checkpoint') return body;
  const { size } = JSON.parse(body) as { size: number };
  return JSON.stringify({ digest: digests.get(size), size });
}

const ownKey = () => readFileSync(join(state, 'audit.key'), 'utf8');
const otherKey = () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

interface Attack {
  readonly name: string;
  readonly attack: () => void | Promise<void>;
  readonly kind: string;
  readonly message: RegExp;
}

const attacks: readonly Attack[] = [
  {
    name: 'entries were deleted together with their checkpoints',
    attack: cutBoth,
    kind: 'shorter',
    message: /rolled back: it ends with entry \d+, but .*anchors.* has a checkpoint of \d+ entries/,
  },
  {
    name: 'an older copy of the state directory was restored',
    attack: () => {
      rmSync(state, { recursive: true });
      cpSync(older, state, { recursive: true });
    },
    kind: 'shorter',
    message: /rolled back: it ends with entry \d+/,
  },
  {
    name: 'the state directory was deleted',
    attack: async () => {
      rmSync(state, { recursive: true });
      // A host that does not know the anchor begins a new log.
      await run([], { audit: {} });
    },
    kind: 'replaced',
    message: /replaced: .*anchors.* has a checkpoint of another audit log, with \d+ entries/,
  },
  {
    name: 'an entry was changed and everything signed again with the stolen key',
    attack: () => rewrite(ownKey()),
    kind: 'different',
    message: /rewritten: its entries up to \d+ are not those of the checkpoint in .*anchors/,
  },
  {
    name: 'the key was replaced and everything signed again',
    attack: () => rewrite(otherKey()),
    kind: 'different',
    message: /rewritten: another key than its own signed the checkpoint of \d+ entries in .*anchors/,
  },
];

test('control: without an attack, the log agrees with its anchor', async () => {
  expect(await verdict(true)).toMatchObject({ ok: true, anchors: 1, acknowledged: 0 });
  const host = await open();
  expect(await host.rollbacks.list()).toEqual([]);
  await host.close();
});

describe.each(attacks)('$name', ({ attack, kind, message }) => {
  test('control: the state directory alone looks intact', async () => {
    await attack();
    expect(await verdict(false)).toMatchObject({ ok: true });
    const host = await open({ audit: {} });
    expect(await host.rollbacks.list()).toEqual([]);
    await host.close();
  });

  test('verification without a host reports it', async () => {
    await attack();
    const found = await verdict(true);
    expect(found).toMatchObject({ ok: false, problem: expect.stringMatching(message) });
    expect(found.firstBad).toBeGreaterThan(0);
  });

  test('a host reports it, and keeps reporting it until an operator acknowledges it', async () => {
    await attack();
    const told: string[] = [];
    const first = await open({ onRollback: (it) => told.push(it) });
    const [found] = await first.rollbacks.list();
    expect(found).toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(told).toEqual([found?.message]);
    await first.close();

    const second = await open({ onRollback: (it) => told.push(it) });
    expect(await second.rollbacks.list()).toEqual([found]);
    expect(told).toHaveLength(1);
    expect(await second.verifyAudit()).toMatchObject({ ok: false, firstBad: found?.entry });
    expect(await second.rollbacks.acknowledge(1, 'operator')).toBe(false);
    expect(await second.rollbacks.acknowledge(found?.entry ?? 0, 'operator')).toBe(true);
    expect(await second.rollbacks.list()).toEqual([]);
    expect(await second.verifyAudit()).toMatchObject({ ok: true, acknowledged: 1 });
    await second.close();
    expect(await verdict(true)).toMatchObject({ ok: true, anchors: 1, acknowledged: 1 });
  });

  test('the evidence stays in the log and in the anchor', async () => {
    const anchorPath = join(anchors, readdirSync(anchors)[0] as string);
    const { note } = JSON.parse(readFileSync(anchorPath, 'utf8')) as { note: string };
    await attack();
    await run([]);
    const entries = sql((it) => it.all("select body from audit where kind = 'rollback'", []));
    expect(entries.map((it) => JSON.parse(String(it.body)).note)).toEqual([note]);
    const after = JSON.parse(readFileSync(anchorPath, 'utf8'));
    expect(after.contradicted.map((it: { note: string }) => it.note)).toEqual([note]);
    expect(after.note).not.toBe(note);
  });

  test('the log does not sign other entries under the name that signed the lost ones', async () => {
    const before = parseCheckpoint(
      (notesIn(join(saved, 'state/checkpoints/audit.checkpoints')).at(-1) ?? '').slice(0, -1),
    );
    await attack();
    await run([]);
    const after = parseCheckpoint((notesIn(file).at(-1) ?? '').slice(0, -1));
    expect(after?.origin).not.toBe(before?.origin);
  });

  test('a second attack after the acknowledgement is reported again', async () => {
    await attack();
    const host = await open();
    const [found] = await host.rollbacks.list();
    await host.rollbacks.acknowledge(found?.entry ?? 0, 'operator');
    await host.close();
    rmSync(state, { recursive: true });
    cpSync(older, state, { recursive: true });
    const again = await open();
    expect(await again.rollbacks.list()).toHaveLength(1);
    await again.close();
  });

  test('not noticed here: the anchor was rewritten as well; a checkpoint kept elsewhere shows it', async () => {
    const kept = join(folder.path, 'kept.txt');
    writeFileSync(kept, (notesIn(file).at(-1) ?? '').slice(0, -1));
    await attack();
    rmSync(anchors, { recursive: true });
    sql((it) => it.exec('delete from audit_anchor'));
    await run([]);
    expect(await verdict(true)).toMatchObject({ ok: true, anchors: 1 });
    expect(await verdict(true, kept)).toMatchObject({ ok: false, problem: expect.stringContaining(kept) });
  });
});

test('a finding that the attacker wrote and acknowledged in advance hides nothing', async () => {
  const [anchor = ''] = readdirSync(anchors).map((it) => join(anchors, it));
  const { note } = JSON.parse(readFileSync(anchor, 'utf8')) as { note: string };
  cutBoth();
  const database = openDatabase(state);
  const { audit } = await openAuditLog(database, checkpointPaths(state), Date.now, () => 'unused');
  const finding = { kind: 'shorter', message: 'nothing to see', place: anchor, note } as const;
  await audit.append({ kind: 'rollback', body: rollbackBody(finding) });
  const [forged] = await database.withConnection(readRollbacks);
  await audit.append({ kind: 'rollback', body: { acknowledges: forged?.seq ?? 0, by: 'operator' } });
  await audit.close();
  await database.destroy();
  expect(await verdict(false)).toMatchObject({ ok: true, acknowledged: 1 });
  const host = await open();
  expect(await host.rollbacks.list()).toMatchObject([{ message: expect.stringMatching(/rolled back/) }]);
  await host.close();
});

describe('removed checkpoints', () => {
  const sign = /checkpoints of the audit log were removed/;

  test.each([
    ['the folder', () => rmSync(join(state, 'checkpoints'), { recursive: true })],
    ['the last checkpoint', () => writeFileSync(file, notesIn(file).slice(0, 1).join(''))],
  ])('a host that starts without %s reports it, also without an anchor', async (_, remove) => {
    // The last checkpoint is mentioned in the log only by the next host.
    await run([], { audit: {} });
    remove();
    const host = await open({ audit: {} });
    const [found] = await host.rollbacks.list();
    expect(found).toMatchObject({ kind: 'checkpoints', message: expect.stringMatching(sign) });
    expect(await host.verifyAudit()).toMatchObject({ ok: false, problem: expect.stringMatching(sign) });
    await host.rollbacks.acknowledge(found?.entry ?? 0, 'operator');
    await host.close();
    expect(await verdict(false)).toMatchObject({ ok: true, acknowledged: 1 });
  });

  test('control: a missing checkpoint that nobody acknowledged makes the log invalid', async () => {
    await run([], { audit: {} });
    rmSync(join(state, 'checkpoints'), { recursive: true });
    expect(await verdict(false)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/mentions .* missing/),
    });
  });

  test.each([
    ['removed', () => rmSync(join(state, 'checkpoints'), { recursive: true })],
    [
      'replaced',
      () => {
        renameSync(file, `${file}.old`);
        writeFileSync(file, '', { mode: 0o600 });
      },
    ],
    ['cut', () => writeFileSync(file, notesIn(file).slice(0, 1).join(''))],
  ])('a running host reports that its checkpoints were %s, at the next checkpoint', async (_, remove) => {
    const told: string[] = [];
    const host = await open({ onRollback: (it) => told.push(it) });
    remove();
    await host.kills.set('one', 'tester', true);
    await until(() => told.length > 0);
    expect(told).toEqual([expect.stringMatching(sign)]);
    expect(notesIn(file).length).toBeGreaterThan(0);
    const [found] = await host.rollbacks.list();
    await host.rollbacks.acknowledge(found?.entry ?? 0, 'operator');
    await host.close();
    expect(await verdict(true)).toMatchObject({ ok: true, acknowledged: 1 });
  });

  test('a removed key is not replaced by a new one', async () => {
    rmSync(join(state, 'checkpoints'), { recursive: true });
    rmSync(join(state, 'audit.key'));
    await expect(open()).rejects.toMatchObject({ code: 'state_unusable' });
    expect(existsSync(join(state, 'audit.key'))).toBe(false);
  });
});

describe('a host does not continue a log that contradicts its own last checkpoint', () => {
  test.each([
    ['the last entries are missing', 'delete from audit where seq > 4', /is missing/],
    [
      'the last entry was changed',
      "update audit set hash = iif(hash like 'f%', '0', 'f') || substr(hash, 2) where seq = (select max(seq) from audit)",
      /were changed/,
    ],
    ['the name of the log was removed', 'delete from audit_tree', /name of the audit log/],
  ])('%s', async (_, statement, message) => {
    sql((it) => it.exec(statement));
    await expect(open()).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(message),
    });
  });

  test('the key does not belong to it', async () => {
    writeFileSync(join(state, 'audit.key'), otherKey(), { mode: 0o600 });
    await expect(open()).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('audit.key'),
    });
  });

  test('control: a damaged edge of the tree is computed again', async () => {
    sql((it) => it.exec('update audit_tree set edge = zeroblob(length(edge))'));
    await run([]);
    expect(await verdict(true)).toMatchObject({ ok: true, anchors: 1 });
  });
});

describe('the anchor itself', () => {
  test.each([
    ['removed', (path: string) => rmSync(path), /is missing/],
    ['overwritten', (path: string) => writeFileSync(path, '{}', { mode: 0o600 }), /was changed/],
    [
      'signed by nobody',
      (path: string) => {
        const text = readFileSync(path, 'utf8');
        writeFileSync(path, text.replace(/\\n(\d+)\\n/, '\\n1$1\\n'), { mode: 0o600 });
      },
      /was changed/,
    ],
  ])('an anchor that was %s is reported', async (_, change, message) => {
    change(join(anchors, readdirSync(anchors)[0] as string));
    expect(await verdict(true)).toMatchObject({ ok: false, problem: expect.stringMatching(message) });
    const host = await open();
    expect(await host.rollbacks.list()).toMatchObject([{ kind: 'anchor' }]);
    await host.close();
  });

  test('two state directories with one folder for anchors do not accuse each other', async () => {
    const second = join(folder.path, 'second');
    const host = await createHost({ state: second, warm: false, audit: { anchorFolder: anchors } });
    expect(await host.rollbacks.list()).toEqual([]);
    await host.close();
    await run(['four']);
    expect(await verdict(true)).toMatchObject({ ok: true, anchors: 1 });
    expect(readdirSync(anchors)).toHaveLength(2);
  });

  test('a state directory that was moved is not accused', async () => {
    const moved = join(folder.path, 'moved');
    renameSync(state, moved);
    const host = await createHost({ state: moved, warm: false, audit: { anchorFolder: anchors } });
    expect(await host.rollbacks.list()).toEqual([]);
    await host.close();
  });

  test('a folder for anchors inside the state directory is rejected, also through a link', async () => {
    const inside = join(state, 'anchors');
    const linked = join(folder.path, 'linked');
    mkdirSync(inside);
    symlinkSync(inside, linked);
    for (const anchorFolder of [inside, join(inside, 'deeper'), linked, join(linked, 'deeper')])
      await expect(open({ audit: { anchorFolder } })).rejects.toMatchObject({ code: 'invalid_config' });
    rmSync(linked);
  });
});
