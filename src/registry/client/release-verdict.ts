// What the registry signed about a release when it let it be published.
import { parseEnvelope } from '../contribute/statement/dsse.js';
import { type VerifiedVerdict, verifyVerdict } from '../contribute/statement/verdict-statement.js';
import { publicKeyOf } from '../metadata/registry-key.js';
import { type ReleaseRecord, statementsPath } from '../names/release-record.js';
import type { RegistryState } from './registry-client.js';

const maxStatements = 16 * 1024 * 1024;

/** Undefined: no statement about this archive is signed by a key that speaks for the registry now. */
export async function releaseVerdict(
  { view }: RegistryState,
  { path, bundle, statements }: ReleaseRecord,
): Promise<VerifiedVerdict | undefined> {
  if (statements === undefined) return undefined;
  const bytes = await view.readTarget(statementsPath(path), statements, maxStatements);
  const { delegations, keys: table } = view.targets.document;
  const ids = delegations.find((it) => it.name === 'quarantine')?.keyids ?? [];
  const keys = ids.flatMap((id) => {
    const key = table[id];
    return key === undefined ? [] : [publicKeyOf(key)];
  });
  for (const line of bytes.toString('utf8').split('\n')) {
    const envelope = parseEnvelope(line);
    const verdict = envelope && verifyVerdict(envelope, bundle.sha256, { keys });
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}
