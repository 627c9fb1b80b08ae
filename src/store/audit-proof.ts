// Proofs for people and programs that do not have the log, in the text formats of C2SP.
import { HostError } from '../model/host-error.js';
import type { SignedCheckpoint } from './checkpoint.js';
import { consistencyProof, inclusionProof, type Leaves } from './merkle-proof.js';

interface ProvableLog {
  checkpoint(): Promise<SignedCheckpoint | undefined>;
  leaves(size: number): Leaves;
}

/** Proves that the newest checkpoint covers an entry: c2sp.org/tlog-proof. The entry with number 1 has index 0. */
export async function proveEntry(log: ProvableLog, seq: number): Promise<string> {
  const { size, note } = await newest(log);
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > size)
    throw new HostError(
      'not_found',
      `the newest checkpoint does not cover entry ${seq}: it is of ${size} entries`,
      {
        hint: 'name an entry up to that number, or wait for the next checkpoint',
      },
    );
  const proof = inclusionProof(log.leaves(size), seq - 1, size);
  return ['c2sp.org/tlog-proof@v1', `index ${seq - 1}`, ...proof.map(base64), '', note].join('\n');
}

/** Proves that the log only grew since it had `from` entries: the request that c2sp.org/tlog-witness describes. */
export async function proveGrowth(log: ProvableLog, from: number): Promise<string> {
  const { size, note } = await newest(log);
  if (!Number.isSafeInteger(from) || from < 0 || from > size)
    throw new HostError('not_found', `the newest checkpoint is of ${size} entries, fewer than ${from}`, {
      hint: 'the log may have been rolled back: toolwharf audit verify --anchor FILE',
    });
  const proof = consistencyProof(log.leaves(size), from, size);
  return [`old ${from}`, ...proof.map(base64), '', note].join('\n');
}

async function newest(log: ProvableLog): Promise<SignedCheckpoint> {
  const checkpoint = await log.checkpoint();
  if (checkpoint !== undefined) return checkpoint;
  throw new HostError('not_found', 'the audit log has no checkpoint yet', {
    hint: 'a host writes one two seconds after an entry, and when it stops',
  });
}

function base64(hash: Buffer): string {
  return hash.toString('base64');
}
