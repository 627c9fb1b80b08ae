// A publication that waits for more signatures: members of a team, and new owners of a namespace, sign it one after the other,
// each on a machine of its own. It is a file that anybody may carry: what counts are the signatures.
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { parseBounded } from '../../model/json-bounds.js';
import type { NamespaceView, RegistryView } from '../client/registry-view.js';
import { readTargetsDocument, type TargetsDocument } from '../metadata/metadata-document.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import { countSignatures, type RoleKeys, readSignedFile, withSignatures } from '../metadata/signed-file.js';
import { isNamespace } from '../names/package-name.js';
import { type ReleaseRecord, releaseRecords } from '../names/release-record.js';

export interface SignedPublication {
  readonly namespace: string;
  /** The next file of the namespace. */
  readonly metadata: string;
  /** By the hash of the archive: one DSSE envelope per line. */
  readonly statements: Readonly<Record<string, string>>;
  /** The archives of new releases, by their hashes. */
  readonly archives: Readonly<Record<string, Buffer>>;
}

/** What a publication changes, for the person who signs it. */
export interface PublicationChanges {
  readonly added: readonly ReleaseRecord[];
  readonly withdrawn: readonly ReleaseRecord[];
  readonly expires: string;
  /** Valid signatures of keys that may sign for the namespace now, and how many are needed. */
  readonly signatures: number;
  readonly needed: number;
}

const schema = 'toolwharf/publication@1';
export const maxPublicationBytes = 128 * 1024 * 1024;
const limits = { bytes: maxPublicationBytes, depth: 8, values: 10_000 };

export function writePublication({ namespace, metadata, statements, archives }: SignedPublication): string {
  const encoded = Object.entries(archives).map(([hash, bytes]) => [hash, bytes.toString('base64')]);
  const content = { schema, namespace, metadata, statements, archives: Object.fromEntries(encoded) };
  return `${JSON.stringify(content, null, 1)}\n`;
}

export function readPublication(text: string): SignedPublication {
  const value = parsed(text);
  if (!isObject(value) || value.schema !== schema) throw damaged('it is not a publication');
  const { namespace, metadata } = value;
  if (typeof namespace !== 'string' || !isNamespace(namespace) || typeof metadata !== 'string')
    throw damaged('it names no namespace');
  const archives = Object.entries(textsOf(value.archives)).map(([hash, base64]) => {
    const bytes = Buffer.from(base64, 'base64');
    if (sha256(bytes) !== hash) throw damaged(`the archive ${hash} has other content`);
    return [hash, bytes] as const;
  });
  return {
    ...{ namespace, metadata, statements: textsOf(value.statements) },
    archives: Object.fromEntries(archives),
  };
}

/** The publication with the signatures of more keys. */
export function signPublication(
  publication: SignedPublication,
  signers: readonly RegistrySigner[],
): SignedPublication {
  const metadata = withSignatures(Buffer.from(publication.metadata), signers).toString('utf8');
  return { ...publication, metadata };
}

/** Throws if it is not the next file of the namespace. */
export function changesOf(
  { namespace, metadata }: SignedPublication,
  found: NamespaceView,
  { bins }: Pick<RegistryView, 'bins'>,
): PublicationChanges {
  const bytes = Buffer.from(metadata);
  const next = readTargetsDocument(readSignedFile(bytes, `the file of ${namespace}`), found.role);
  const version = (found.file?.document.version ?? 0) + 1;
  if (next.version !== version)
    throw new HostError(
      'usage',
      `the file has version ${next.version} of ${namespace}, and the registry needs version ${version}`,
      { hint: 'something was published meanwhile; make the publication again' },
    );
  const known = new Map(found.releases.map((it) => [it.path, it]));
  const records = releaseRecords(next, bins);
  return {
    added: records.filter((it) => !known.has(it.path)),
    withdrawn: records.filter((it) => it.yanked !== undefined && known.get(it.path)?.yanked === undefined),
    expires: next.expires,
    signatures: countSignatures(readSignedFile(bytes, 'the file'), found.delegation, found.delegator.keys),
    needed: found.delegation.threshold,
  };
}

/** Throws unless enough of those who may sign for the namespace signed the publication. */
export function assertSignedEnough(
  publication: SignedPublication,
  found: NamespaceView,
  view: Pick<RegistryView, 'bins'>,
): void {
  const { signatures, needed } = changesOf(publication, found, view);
  if (signatures >= needed) return;
  throw new HostError(
    'denied',
    `the publication has ${signatures} of the ${needed} signatures that it needs`,
    {
      hint: 'another member of the team signs it: toolwharf registry sign FILE --keys DIR',
    },
  );
}

/** The publication of a new file of a namespace, with the signatures of those who are here. */
export function publicationOf(
  namespace: string,
  document: TargetsDocument,
  {
    sign,
    statements = {},
    archives = {},
  }: Partial<Pick<SignedPublication, 'statements' | 'archives'>> & {
    readonly sign: (document: TargetsDocument) => Buffer;
  },
): SignedPublication {
  return { namespace, metadata: sign(document).toString('utf8'), statements, archives };
}

/** Those of the signers whose signatures count for a role. Throws if there are none. */
export function someSigners(
  role: RoleKeys,
  signers: readonly RegistrySigner[],
  what: string,
): RegistrySigner[] {
  const able = signers.filter((it) => role.keyids.includes(it.keyId));
  if (able.length > 0) return able;
  throw new HostError('denied', `${what} needs a key of the namespace, and none is here`, {
    hint: 'name the folder with your keys: --keys DIR',
  });
}

function textsOf(value: Json | undefined): Record<string, string> {
  if (!isObject(value)) throw damaged('something is missing');
  for (const [hash, text] of Object.entries(value))
    if (!/^[0-9a-f]{64}$/.test(hash) || typeof text !== 'string') throw damaged('a hash or a text is wrong');
  return value as Record<string, string>;
}

function parsed(text: string): Json {
  try {
    return parseBounded(text, limits);
  } catch (error) {
    throw damaged('it cannot be read', error);
  }
}

function damaged(problem: string, cause?: unknown): HostError {
  return new HostError('usage', `this is not a publication that waits for signatures: ${problem}`, {
    hint: 'make one with --save FILE: toolwharf publish, or toolwharf registry yank or renew',
    ...(cause === undefined ? {} : { cause }),
  });
}
