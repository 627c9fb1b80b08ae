import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../../files/atomic-file.js';
import { makeFolder } from '../../../files/make-folder.js';
import { sha256 } from '../../../files/sha256.js';
import { HostError } from '../../../model/host-error.js';
import { canonicalJson, type Json } from '../../../model/json.js';
import { type JsonLimits, tryParseBounded } from '../../../model/json-bounds.js';
import type { ReviewEntry, ReviewQueue } from '../../../model/review-queue.js';
import { readReviewEntry } from './review-entry.js';

const limits: JsonLimits = { bytes: 16 * 1024 * 1024, depth: 16, values: 500_000 };
const maxArchive = 256 * 1024 * 1024;
const idLength = 16;
/** Of one publisher. */
const maxWaiting = 50;
const written = { mode: 0o600, flush: 'folder' } as const;

/**
 * The queue of a registry in a folder: `review/` beside the files that clients read, and never one of them. An entry, its
 * archive and the decision are a file each. None is ever overwritten, so of two decisions only the first is made.
 */
export function reviewFolder(registry: string): ReviewQueue {
  const folder = join(registry, 'review');
  const path = (id: string, ending: string) => join(folder, `${id}${ending}`);
  const read = (id: string): ReviewEntry => {
    const entry = readReviewEntry(parsed(path(id, '.json')));
    if (entry === undefined || entry.id !== id) throw damaged(path(id, '.json'));
    const decision = path(id, '.decision');
    if (!isThere(decision)) return entry;
    const reviewed = readReviewEntry({
      ...(entry as unknown as Record<string, Json>),
      review: parsed(decision) ?? null,
    });
    if (reviewed?.review === undefined) throw damaged(decision);
    return reviewed;
  };
  const ids = () =>
    isThere(folder) ? readdirSync(folder).flatMap((it) => /^([0-9a-f]{16})\.json$/.exec(it)?.[1] ?? []) : [];
  /** Those that nobody decided about. One that cannot be read does not keep others out. */
  const waiting = () =>
    ids()
      .filter((id) => !isThere(path(id, '.decision')))
      .flatMap((id) => readReviewEntry(parsed(path(id, '.json'))) ?? []);
  const find = async (id: string) => {
    const found = ids().filter((it) => it.startsWith(id));
    const [only, ...more] = found;
    if (id === '' || only === undefined || more.length > 0)
      throw new HostError(
        more.length > 0 ? 'usage' : 'not_found',
        more.length > 0
          ? `${found.length} packages start with ${id}`
          : `no package ${JSON.stringify(id)} waits for a review`,
        { hint: 'see "toolwharf registry review list"' },
      );
    return read(only);
  };
  return {
    find,
    async list() {
      return ids()
        .map(read)
        .sort((a, b) =>
          a.submittedAt === b.submittedAt ? compare(a.id, b.id) : compare(a.submittedAt, b.submittedAt),
        );
    },
    async submit(entry, archive) {
      if (sha256(archive) !== entry.sha256)
        throw new HostError('integrity', 'the archive does not have the hash of its entry');
      const id = entry.sha256.slice(0, idLength);
      if (!isThere(path(id, '.json'))) assertRoom(entry.publisher, waiting());
      makeFolder(folder, 0o700);
      createFile(path(id, '.tgz'), archive, written);
      createFile(path(id, '.json'), `${canonicalJson({ ...entry, id } as unknown as Json)}\n`, written);
      const stored = read(id);
      if (stored.sha256 !== entry.sha256) throw damaged(path(id, '.json'));
      return stored;
    },
    async decide(id, review) {
      const entry = await find(id);
      if (review.decision === 'approved' && entry.verdict.decision === 'reject')
        throw new HostError('denied', 'the checks reject this package, so it cannot be approved');
      const isFirst = createFile(
        path(entry.id, '.decision'),
        `${canonicalJson(review as unknown as Json)}\n`,
        written,
      );
      if (!isFirst) {
        const { review: earlier } = read(entry.id);
        throw new HostError(
          'denied',
          `${earlier?.reviewer ?? 'somebody'} already decided: ${earlier?.decision ?? 'unknown'}`,
        );
      }
      return read(entry.id);
    },
    async archive(id) {
      const entry = await find(id);
      const bytes = bounded(path(entry.id, '.tgz'), maxArchive);
      if (bytes === undefined || sha256(bytes) !== entry.sha256) throw damaged(path(entry.id, '.tgz'));
      return bytes;
    },
  };
}

/** The archives stay until somebody has looked at them, so one publisher must not be able to fill the disk. */
function assertRoom(publisher: string, waiting: readonly ReviewEntry[]): void {
  if (waiting.filter((it) => it.publisher === publisher).length < maxWaiting) return;
  throw new HostError('rate_limited', `${maxWaiting} packages of ${publisher} wait for a review already`, {
    hint: 'publish again once somebody at the registry has decided about some of them',
  });
}

function parsed(file: string): Json | undefined {
  const bytes = bounded(file, limits.bytes);
  return bytes === undefined ? undefined : tryParseBounded(bytes.toString('utf8'), limits);
}

/** Undefined for links, folders and files that are too large. */
function bounded(file: string, maxBytes: number): Buffer | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= maxBytes ? readFileSync(file) : undefined;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function damaged(file: string): HostError {
  return new HostError('integrity', `${file} is damaged`, {
    hint: 'restore it from a copy, or submit the package again',
  });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
