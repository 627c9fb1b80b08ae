// What the metadata of a namespace says about one release, as a value.
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { codePointName, findHidden, replaceHidden } from '../../model/unicode.js';
import { isPlainText } from '../metadata/canonical-text.js';
import type { FileEntry, TargetEntry, TargetsDocument } from '../metadata/metadata-document.js';
import { type PackageName, releaseOf } from './package-name.js';

/** One release as its publisher signed it. */
export interface ReleaseRecord {
  readonly name: PackageName;
  readonly version: string;
  /** In the metadata. */
  readonly path: string;
  readonly bundle: FileEntry;
  /** Signed statements about the release, beside the bundle; undefined: none. */
  readonly statements: FileEntry | undefined;
  /** Why the publisher withdrew it; undefined: not withdrawn. */
  readonly yanked: string | undefined;
}

const maxReason = 500;

/** Undefined if the path does not name a release of this registry. */
export function releaseRecord(path: string, entry: TargetEntry, bins: number): ReleaseRecord | undefined {
  const release = releaseOf(path, bins);
  if (release === undefined) return undefined;
  const { length, sha256, custom } = entry;
  return {
    ...release,
    path,
    bundle: { length, sha256 },
    statements: statementsOf(custom),
    yanked: typeof custom.yanked === 'string' ? shownReason(custom.yanked) : undefined,
  };
}

/** All releases of a namespace. Throws if its file names anything else. */
export function releaseRecords(document: TargetsDocument, bins: number): ReleaseRecord[] {
  return Object.entries(document.targets).map(([path, entry]) => {
    const record = releaseRecord(path, entry, bins);
    if (record === undefined)
      throw new HostError(
        'integrity',
        `the role ${document.role} names ${JSON.stringify(path)}, which is not a release`,
      );
    return record;
  });
}

export function releaseEntry(record: Omit<ReleaseRecord, 'path'>): TargetEntry {
  const { bundle, statements, yanked } = record;
  const custom: Record<string, JsonObject | string> = {};
  if (statements !== undefined) custom.statements = { length: statements.length, sha256: statements.sha256 };
  if (yanked !== undefined) custom.yanked = yanked;
  return { ...bundle, custom };
}

/** Where the statements about a release are, in the metadata's terms. */
export function statementsPath(releasePath: string): string {
  return releasePath.replace(/\.tgz$/, '.intoto.jsonl');
}

/** A reason as readers get it: short, on one line, and with the names of characters that cannot be seen. */
export function shownReason(text: string): string {
  const line = text.slice(0, maxReason).replace(/\s+/g, ' ').trim();
  return replaceHidden(line, (codePoint) => `‹${codePointName(codePoint)}›`);
}

/** A reason that people and other programs read. */
export function checkedReason(text: string): string {
  const reason = text.trim();
  if (reason !== '' && reason.length <= maxReason && isPlainText(reason) && findHidden(reason).length === 0)
    return reason;
  throw new HostError('usage', 'the reason is empty, too long, or contains characters that cannot be seen', {
    hint: `write one line of at most ${maxReason} characters`,
  });
}

function statementsOf(custom: JsonObject): FileEntry | undefined {
  const it = custom.statements as Partial<FileEntry> | undefined;
  return typeof it?.length === 'number' && typeof it.sha256 === 'string' && /^[0-9a-f]{64}$/.test(it.sha256)
    ? { length: it.length, sha256: it.sha256 }
    : undefined;
}
