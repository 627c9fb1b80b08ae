// What a registry accepts as the next file of a namespace, from its own machine or another one.
import { HostError } from '../../model/host-error.js';
import { canonicalText } from '../metadata/canonical-text.js';
import { checkTargets, type Delegator, metadataLimits } from '../metadata/metadata-check.js';
import {
  type Delegation,
  readTargetsDocument,
  type TargetsDocument,
  targetsContent,
} from '../metadata/metadata-document.js';
import { readSignedFile } from '../metadata/signed-file.js';
import { assertReleasesKept } from '../names/release-changes.js';
import { releaseEntry, releaseRecords } from '../names/release-record.js';
import type { RepositoryChange } from './repository-change.js';

/** A namespace as a change leaves it. */
export interface ChangedNamespace {
  readonly delegation: Delegation;
  readonly delegator: Delegator;
  readonly document: TargetsDocument | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The next file of a namespace, as somebody sent it. Throws unless it is signed, and changes nothing that may not change. */
export function checkedNamespace(
  namespace: string,
  bytes: Buffer,
  { delegation, delegator, document }: ChangedNamespace,
  change: RepositoryChange,
): TargetsDocument {
  // Readers stop at this length, so a longer file would make the namespace unreadable for everybody.
  if (bytes.length > metadataLimits.targets)
    throw new HostError(
      'output_too_large',
      `the file of ${namespace} has more than ${metadataLimits.targets.toLocaleString('en')} bytes`,
      { hint: 'use another namespace for further releases' },
    );
  const version = (document?.version ?? 0) + 1;
  assertNotOutdated(namespace, bytes, delegation.name, version);
  const { document: next } = checkTargets(bytes, delegation.name, delegator, version);
  if (document !== undefined) assertReleasesKept(document, next);
  if (next.delegations.length > 0)
    throw new HostError(
      'denied',
      `the namespace ${namespace} cannot delegate to others; ask for a team instead`,
    );
  assertNothingElse(namespace, bytes, next, change.view.bins);
  const latest = change.now + (change.view.root.document.days.namespaces + 1) * dayMs;
  if (Date.parse(next.expires) <= change.now || Date.parse(next.expires) > latest)
    throw new HostError(
      'usage',
      `the file of ${namespace} must expire within the time that the registry allows`,
      {
        hint: `sign it for ${change.view.root.document.days.namespaces} days`,
      },
    );
  return next;
}

/** Throws if the file follows an older state of the namespace: somebody else changed it since its publisher looked. */
export function assertNotOutdated(namespace: string, bytes: Buffer, role: string, version: number): void {
  const document = readTargetsDocument(readSignedFile(bytes, `the file of ${namespace}`), role);
  if (document.version >= version) return;
  throw new HostError('state_locked', `the namespace ${namespace} was changed by somebody else meanwhile`, {
    hint: 'run the command again; it then signs the next file',
  });
}

/** What this registry does not know is not published: nothing checked it, and other programs may show it. */
function assertNothingElse(namespace: string, bytes: Buffer, document: TargetsDocument, bins: number): void {
  const file = readSignedFile(bytes, `the file of ${namespace}`);
  const records = releaseRecords(document, bins).map((it) => [it.path, releaseEntry(it)] as const);
  const content = targetsContent({ ...document, targets: Object.fromEntries(records) });
  // A publisher may have a version of this program that names a later revision of the same specification.
  const signed = canonicalText({ ...content, spec_version: file.signed.spec_version ?? null });
  const signatures = canonicalText(file.signatures.map(({ keyid, sig }) => ({ keyid, sig })));
  if (bytes.equals(Buffer.from(`{"signatures":${signatures},"signed":${signed}}\n`))) return;
  throw new HostError('denied', `the file of ${namespace} says something that this registry does not know`, {
    hint: 'sign it with "toolwharf publish"; what nobody checks is not published',
  });
}
