// The proof that comes with each release, as in c2sp.org/tlog-proof. Its extra data is the entry itself.
import { HostError } from '../../model/host-error.js';

export interface ReleaseProof {
  readonly index: number;
  readonly entry: Buffer;
  readonly hashes: readonly Buffer[];
  /** The head of the log when the entry was added. */
  readonly note: string;
}

export const maxProofBytes = 128 * 1024;
const head = 'c2sp.org/tlog-proof@v1';

export function writeReleaseProof({ index, entry, hashes, note }: ReleaseProof): string {
  const lines = [
    `extra ${entry.toString('base64')}`,
    `index ${index}`,
    ...hashes.map((it) => it.toString('base64')),
  ];
  return [head, ...lines, '', note].join('\n');
}

/** Reads a proof. It says where the entry is; whether it is there is checked against a head that is trusted. */
export function readReleaseProof(text: string): ReleaseProof {
  const end = text.indexOf('\n\n');
  const [first, extra, index, ...hashes] = text.slice(0, Math.max(0, end)).split('\n');
  const entry = /^extra ([A-Za-z0-9+/]+={0,2})$/.exec(extra ?? '')?.[1];
  const number = /^index (0|[1-9]\d{0,15})$/.exec(index ?? '')?.[1];
  if (first !== head || entry === undefined || number === undefined || hashes.length > 64) throw damaged();
  return {
    index: Number(number),
    entry: Buffer.from(entry, 'base64'),
    hashes: hashes.map((it) => Buffer.from(it, 'base64')),
    note: text.slice(end + 2),
  };
}

/** Where the proof of a release is. */
export function proofFile(releasePath: string): string {
  return `proofs/${releasePath.replace(/\.tgz$/, '.tlog-proof')}`;
}

function damaged(): HostError {
  return new HostError('integrity', 'the proof that a release is in the transparency log is damaged', {
    hint: 'do not use the release, and tell the operator of the registry',
  });
}
