// Checks a whole registry offline: every file that its metadata names, and that the log tells the same story.

import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { emptyTree, treeRoot, withLeaf } from '../../store/merkle-tree.js';
import { quarantineOf, summariesOf } from '../client/registry-targets.js';
import type { RegistryView } from '../client/registry-view.js';
import { type LogEntry, readLogEntry } from '../log/log-entry.js';
import { maxProofBytes, proofFile, readReleaseProof } from '../log/log-proof.js';
import { LogReader } from '../log/log-reader.js';
import { logLeaf, tilePath, tileWidth, widthOf } from '../log/log-tiles.js';
import type { FileEntry } from '../metadata/metadata-document.js';
import { targetFile, twinKey } from '../names/package-name.js';
import { type ReleaseRecord, statementsPath } from '../names/release-record.js';

export interface RepositoryReport {
  /** Empty: everything fits. */
  readonly problems: readonly string[];
  /** Files that have expired. */
  readonly expired: readonly string[];
  readonly namespaces: number;
  readonly releases: number;
  readonly entries: number;
}

const maxBundleBytes = 1024 * 1024 * 1024;

/** `isUnfinished`: a change was interrupted, so the copy of the head may be that of the state before. */
export async function checkRepository(
  view: RegistryView,
  { isUnfinished = false }: { readonly isUnfinished?: boolean } = {},
): Promise<RepositoryReport> {
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      problems.push(`${what}: ${error.message}`);
    }
  };
  const log = await readLog(view, problems);
  const copy = await view.readLog('checkpoint', 64 * 1024);
  if (!isUnfinished && copy?.toString('utf8') !== view.head.note)
    problems.push('log/checkpoint is not the head that the timestamp names');
  const releases: ReleaseRecord[] = [];
  const twins = new Map<string, string>();
  let namespaces = 0;
  for (const { name: bin } of view.targets.document.delegations.filter((it) => it.name.startsWith('bin-'))) {
    await attempt(`the role ${bin}`, async () => {
      for (const it of (await view.delegated(bin))?.document.delegations ?? []) {
        const namespace = it.paths[0]?.split('/')[1] ?? '';
        namespaces += 1;
        const twin = twins.get(twinKey(namespace));
        if (twin !== undefined)
          problems.push(`the namespaces ${twin} and ${namespace} can be mistaken for each other`);
        twins.set(twinKey(namespace), namespace);
        await attempt(`the namespace ${namespace}`, async () => {
          releases.push(...((await view.namespace(namespace))?.releases ?? []));
        });
      }
    });
  }
  for (const it of releases)
    await attempt(`${it.name.text} ${it.version}`, () => checkRelease(view, it, log));
  await attempt('the search index', async () => {
    const index = (await view.delegated('index'))?.document;
    for (const [path, entry] of Object.entries(index?.targets ?? {})) await summariesOf(view, path, entry);
  });
  await attempt('the quarantine', async () => {
    for (const { name, version } of await quarantineOf(view))
      if (!releases.some((it) => it.name.text === name && it.version === version))
        problems.push(`the quarantine names ${name} ${version}, which is not in the registry`);
  });
  problems.push(...unpublished(log, releases));
  return { problems, expired: view.expired, namespaces, releases: releases.length, entries: log.length };
}

async function checkRelease(
  view: RegistryView,
  record: ReleaseRecord,
  log: readonly (LogEntry | undefined)[],
): Promise<void> {
  const { path, bundle, statements, name, version } = record;
  await checkFile(view, targetFile(path, bundle.sha256), bundle);
  if (statements !== undefined)
    await checkFile(view, targetFile(statementsPath(path), statements.sha256), statements);
  const text = await view.transport.read(proofFile(path), maxProofBytes);
  if (text === undefined) throw new HostError('integrity', 'its proof is missing');
  const { index, entry } = readReleaseProof(text.toString('utf8'));
  const logged = log[index];
  const own = readLogEntry(entry);
  if (JSON.stringify(logged) !== JSON.stringify(own))
    throw new HostError('integrity', 'its proof is of another entry');
  if (
    logged?.kind !== 'publish' ||
    logged.name !== name.text ||
    logged.version !== version ||
    logged.sha256 !== bundle.sha256
  )
    throw new HostError('integrity', 'the log says something else about it');
  if (
    record.yanked !== undefined &&
    !log.some((it) => it?.kind === 'yank' && it.name === name.text && it.version === version)
  )
    throw new HostError('integrity', 'it is withdrawn, and the log does not say so');
}

async function checkFile(
  view: RegistryView,
  path: string,
  { length, sha256: hash }: FileEntry,
): Promise<void> {
  const bytes = await view.transport.read(path, Math.min(length, maxBundleBytes));
  if (bytes === undefined) throw new HostError('integrity', `${path} is missing`);
  if (bytes.length !== length || sha256(bytes) !== hash)
    throw new HostError('integrity', `${path} has other content than its publisher signed`);
}

/** All entries, after a check that the tiles and the head are those of exactly these entries. */
async function readLog(view: RegistryView, problems: string[]): Promise<(LogEntry | undefined)[]> {
  const { head } = view;
  const reader = new LogReader(head.size, view.readLog);
  const entries: (LogEntry | undefined)[] = [];
  let tree = emptyTree;
  let row: Buffer[] = [];
  try {
    for (let bundle = 0; bundle * tileWidth < head.size; bundle++) {
      for (const bytes of await reader.entries(bundle)) {
        const entry = readLogEntry(bytes);
        if (entry === undefined) problems.push(`entry ${entries.length} of the log cannot be read`);
        entries.push(entry);
        tree = withLeaf(tree, logLeaf(bytes));
        row.push(logLeaf(bytes));
      }
    }
    if (!treeRoot(tree).equals(head.root)) problems.push('the entries of the log are not those of its head');
    for (let level = 0; row.length > 0; level++) {
      const above: Buffer[] = [];
      for (let index = 0; index * tileWidth < row.length; index++) {
        const hashes = row.slice(index * tileWidth, (index + 1) * tileWidth);
        const width = widthOf(level, index, head.size);
        const path = tilePath({ level, index, width });
        const found =
          (await view.readLog(path, tileWidth * 32)) ??
          (await view.readLog(tilePath({ level, index, width: tileWidth }), tileWidth * 32));
        if (found === undefined || !Buffer.concat(hashes).equals(found.subarray(0, width * 32)))
          problems.push(`${path} of the log is not the tile of its entries`);
        if (width === tileWidth) above.push(treeRoot(hashes.reduce(withLeaf, emptyTree)));
      }
      row = above;
    }
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    problems.push(error.message);
  }
  return entries;
}

/** What the log says was published, and is not there or has changed. */
function unpublished(log: readonly (LogEntry | undefined)[], releases: readonly ReleaseRecord[]): string[] {
  const present = new Map(releases.map((it) => [`${it.name.text} ${it.version}`, it.bundle.sha256]));
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const it of log) {
    if (it?.kind !== 'publish') continue;
    const key = `${it.name} ${it.version}`;
    if (seen.has(key)) problems.push(`the log says twice that ${key} was published`);
    seen.set(key, it.sha256);
    if (!present.has(key)) problems.push(`the log says that ${key} was published, and it is not there`);
  }
  return problems;
}
