import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import type { ContributionFinding, ContributionVerdict } from '../../../src/model/contribution.js';
import { startOfFile } from '../../../src/model/diagnostic.js';
import {
  type ContributedArchive,
  decideContribution,
} from '../../../src/registry/contribute/publish/decide-contribution.js';
import { reviewFolder } from '../../../src/registry/contribute/publish/review-folder.js';
import type { DsseEnvelope } from '../../../src/registry/contribute/statement/dsse.js';
import { verifyVerdict } from '../../../src/registry/contribute/statement/verdict-statement.js';
import { parseArguments } from '../../../src/serve/cli/command/arguments.js';
import { registryCommand } from '../../../src/serve/cli/commands/registry.js';
import { testTerminal } from '../../support/terminal.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const keys = generateKeyPairSync('ed25519');
const archive = Buffer.from('the bytes of an archive');
const finding = (code: string, severity: ContributionFinding['severity']): ContributionFinding => ({
  ...{ code, severity, stage: 'code', message: `${code} was found`, file: 'a', range: startOfFile },
});
const verdictOf = (
  decision: ContributionVerdict['decision'],
  findings: readonly ContributionFinding[] = [],
): ContributionVerdict => ({
  ...{ rules: 'r/1', decision, contentDigest: 'c', files: 1, findings },
  package: { format: 'patch', id: 'one', version: '1.0.0', tools: ['one'] },
  model: { status: 'not-checked' },
});
const checkedAs = (verdict: ContributionVerdict): ContributedArchive => ({
  ...{
    verdict,
    archive,
    sha256: sha256(archive),
    archiveName: 'one.tgz',
  },
});

const made: { remove(): void }[] = [];
afterEach(() => {
  for (const it of made.splice(0)) it.remove();
});

function registry() {
  const { path: folder, remove } = temporaryFolder();
  made.push({ remove });
  const queue = reviewFolder(folder);
  const published: { readonly statements: readonly DsseEnvelope[] }[] = [];
  const options = { queue, name: 'acme', keys: [keys], now: '2026-01-02T03:04:05Z' };
  return {
    folder,
    queue,
    published,
    async hand(verdict: ContributionVerdict) {
      const decided = await decideContribution(checkedAs(verdict), options);
      if (decided.status !== 'passed') return decided;
      published.push({ statements: [decided.statement] });
      return { status: 'published' };
    },
  };
}

const approved = { decision: 'approved', reviewer: 'ann', at: '2026-01-03T00:00:00Z' } as const;

test('what passes is published with a signed verdict, and nothing waits', async () => {
  const { hand, published, queue } = registry();
  expect(await hand(verdictOf('pass'))).toEqual({ status: 'published' });
  const [statement] = published[0]?.statements ?? [];
  expect(
    verifyVerdict(statement as NonNullable<typeof statement>, sha256(archive), { keys: [keys.publicKey] }),
  ).toMatchObject({ decision: 'pass' });
  expect(await queue.list()).toEqual([]);
});

test('what is rejected is neither published nor queued', async () => {
  const { hand, published, queue } = registry();
  await expect(hand(verdictOf('reject', [finding('x.y', 'reject')]))).rejects.toMatchObject({
    code: 'denied',
  });
  expect([published, await queue.list()]).toEqual([[], []]);
});

test('what needs a person waits, and is published after a person approved it, with who that was', async () => {
  const { hand, published, queue } = registry();
  const verdict = verdictOf('review', [finding('contribute.has-code', 'review')]);
  const first = await hand(verdict);
  expect(first).toMatchObject({ status: 'waits-for-review', entry: { publisher: 'acme' } });
  expect(await hand(verdict)).toEqual(first);
  expect(published).toEqual([]);
  const [entry] = await queue.list();
  await queue.decide(entry?.id ?? '', approved);
  expect(await hand(verdict)).toEqual({ status: 'published' });
  const [statement] = published[0]?.statements ?? [];
  const verified = verifyVerdict(statement as NonNullable<typeof statement>, sha256(archive), {
    keys: [keys.publicKey],
  });
  expect(verified).toMatchObject({
    decision: 'review',
    review: 'approved',
    predicate: { review: { reviewer: 'ann' } },
  });
});

test('an approval does not cover what later rules find', async () => {
  const { hand, published, queue } = registry();
  const verdict = verdictOf('review', [finding('contribute.has-code', 'review')]);
  await hand(verdict);
  await queue.decide(sha256(archive).slice(0, 4), approved);
  const more = verdictOf('review', [...verdict.findings, finding('contribute.dynamic-code', 'review')]);
  await expect(hand(more)).rejects.toMatchObject({ code: 'approval_required' });
  expect(published).toEqual([]);
});

test('only the first decision counts, and a rejection tells the publisher why', async () => {
  const { hand, queue } = registry();
  const verdict = verdictOf('review');
  await hand(verdict);
  const id = sha256(archive).slice(0, 16);
  const decisions = await Promise.allSettled([
    queue.decide(id, { ...approved, decision: 'rejected', note: 'rename it' }),
    queue.decide(id, approved),
  ]);
  expect(decisions.map((it) => it.status)).toEqual(['fulfilled', 'rejected']);
  await expect(hand(verdict)).rejects.toMatchObject({ code: 'approval_denied', hint: 'rename it' });
});

test('an archive that was changed while it waited is not handed out', async () => {
  const { hand, queue, folder } = registry();
  await hand(verdictOf('review'));
  const id = sha256(archive).slice(0, 16);
  expect(Buffer.from(await queue.archive(id))).toEqual(archive);
  writeFileSync(join(folder, 'review', `${id}.tgz`), 'other bytes');
  await expect(queue.archive(id)).rejects.toMatchObject({ code: 'integrity' });
});

test.each([
  ['is not JSON', 'approved'],
  ['names no reviewer', '{"decision":"approved"}'],
  ['is another word', '{"decision":"yes","reviewer":"ann"}'],
])('a decision that %s approves nothing', async (_, text) => {
  const { hand, queue, folder, published } = registry();
  await hand(verdictOf('review'));
  writeFileSync(join(folder, 'review', `${sha256(archive).slice(0, 16)}.decision`), text);
  await expect(queue.list()).rejects.toMatchObject({ code: 'integrity' });
  await expect(hand(verdictOf('review'))).rejects.toMatchObject({ code: 'integrity' });
  expect(published).toEqual([]);
});

test('an entry that is a link is not followed', async () => {
  const { hand, queue, folder } = registry();
  await hand(verdictOf('review'));
  symlinkSync(
    join(folder, 'review', `${sha256(archive).slice(0, 16)}.json`),
    join(folder, 'review', `${'0'.repeat(16)}.json`),
  );
  await expect(queue.list()).rejects.toMatchObject({ code: 'integrity' });
});

test('fifty packages of one publisher wait at most, so that none fills the disk or keeps out others', async () => {
  const { queue } = registry();
  const submit = (publisher: string, text: string) => {
    const bytes = Buffer.from(text);
    const verdict = verdictOf('review', [finding('contribute.has-code', 'review')]);
    const entry = { sha256: sha256(bytes), publisher, submittedAt: '2026-01-02T03:04:05Z', verdict };
    return queue.submit(entry, bytes);
  };
  const [first] = await Promise.all(Array.from({ length: 50 }, (_, it) => submit('acme', `archive ${it}`)));
  await expect(submit('acme', 'one more')).rejects.toMatchObject({ code: 'rate_limited' });
  // What waits already is still found, and others are not affected.
  expect((await submit('acme', 'archive 0')).id).toBe(first?.id);
  await submit('other', 'of somebody else');
  await queue.decide(first?.id ?? '', approved);
  await submit('acme', 'one more');
  expect(await queue.list()).toHaveLength(52);
});

test('looking at a registry without a queue makes no folder', async () => {
  const { queue, folder } = registry();
  expect(await queue.list()).toEqual([]);
  expect(existsSync(join(folder, 'review'))).toBe(false);
});

test('a name that was not submitted is not found, and a path is none', async () => {
  const { queue } = registry();
  for (const id of ['', '../../etc/passwd', 'ffff'])
    await expect(queue.find(id)).rejects.toMatchObject({ code: 'not_found' });
});

async function command(folder: string, words: readonly string[], answer?: boolean) {
  const terminal = {
    ...testTerminal({ cwd: folder, ...(answer === undefined ? {} : { answer }) }),
    openReviewQueue: async (path: string) => reviewFolder(path),
  };
  const args = parseArguments(registryCommand, [...words, '--data', folder]);
  return { code: await registryCommand.run(args, terminal), ...terminal.printed };
}

test('on the command line a person sees what was found and says yes; without one the exact hash is needed', async () => {
  const { hand, folder, queue } = registry();
  await hand(verdictOf('review', [finding('contribute.has-code', 'review')]));
  const id = sha256(archive).slice(0, 16);
  expect((await command(folder, ['review', 'list'])).out).toContain('contribute.has-code was found');
  await expect(command(folder, ['review', 'approve', id, '--yes'])).rejects.toMatchObject({
    code: 'approval_required',
  });
  await expect(command(folder, ['review', 'approve', id, '--sha256', 'a'.repeat(64)])).rejects.toMatchObject({
    code: 'integrity',
  });
  await expect(command(folder, ['review', 'approve', id], false)).rejects.toMatchObject({
    code: 'approval_denied',
  });
  expect((await queue.find(id)).review).toBeUndefined();
  const shown = await command(folder, ['review', 'approve', id], true);
  expect(shown.err).toContain('contribute.has-code was found');
  expect((await queue.find(id)).review).toMatchObject({ decision: 'approved', reviewer: 'test/cli' });
  expect(readdirSync(join(folder, 'review')).sort()).toEqual([`${id}.decision`, `${id}.json`, `${id}.tgz`]);
});
