import { createPublicKey } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuditVerdict } from '../model/audit.js';
import { HostError } from '../model/host-error.js';
import { isObject, type Json } from '../model/json.js';
import { answerLimits, parseBounded } from '../model/json-bounds.js';
import { checkAuditLog } from './audit-check.js';
import { readTrustedPublicKey } from './checkpoint-key.js';
import { emptyTree, parseEdge, type TreeEdge } from './merkle-tree.js';
import type { AuditTable } from './state-tables.js';
import { readAnchorAt } from './stored-audit-log.js';
import type { VerifyOptions } from './verify-options.js';

interface ExportHeader {
  readonly first: number;
  readonly publicKey: string | null;
  /** Of all entries before the first one. */
  readonly tree: TreeEdge;
}

/** Verifies an export without a host. Without a public key the key in the export is used, which proves less. */
export async function verifyExportFile(
  path: string,
  { publicKey: trusted, anchor }: VerifyOptions = {},
): Promise<AuditVerdict> {
  const header = await readHeader(path);
  const own = header.publicKey === null ? undefined : createPublicKey(header.publicKey);
  let previous: string | undefined;
  for await (const entry of linesOf(path, isEntry)) {
    previous = (entry as unknown as AuditTable).previous;
    break;
  }
  return checkAuditLog({
    entries: linesOf(path, isEntry) as unknown as AsyncIterable<AuditTable>,
    checkpoints: checkpointsOf(path),
    publicKey: trusted === undefined ? own : readTrustedPublicKey(trusted),
    ...(anchor === undefined ? {} : { anchors: [readAnchorAt(anchor)] }),
    ...(header.first === 1
      ? {}
      : { from: { seq: header.first, previous: previous ?? '', tree: header.tree } }),
  });
}

async function readHeader(path: string): Promise<ExportHeader> {
  for await (const value of linesOf(path, () => true)) {
    if (!isObject(value) || value.schema !== 'toolwharf/audit-export@1' || typeof value.first !== 'number')
      break;
    const { first, publicKey, before } = value;
    const tree =
      first === 1
        ? emptyTree
        : parseEdge(first - 1, Buffer.from(typeof before === 'string' ? before : '', 'base64'));
    if (tree === undefined) throw damaged(path, 1);
    return { first, publicKey: typeof publicKey === 'string' ? publicKey : null, tree };
  }
  throw new HostError('usage', `${path} is not an audit log export`, {
    hint: 'create one: toolwharf audit export > FILE; a CSV export cannot be verified',
  });
}

function isEntry(value: Json): boolean {
  return isObject(value) && value.seq !== undefined;
}

async function* checkpointsOf(path: string): AsyncGenerator<string> {
  for await (const value of linesOf(path, (it) => isObject(it) && it.checkpoint !== undefined))
    yield String((value as { checkpoint: Json }).checkpoint);
}

/** Reads the matching lines. Each kind of line gets its own pass, because the file may be larger than memory. */
async function* linesOf(path: string, matches: (value: Json) => boolean): AsyncGenerator<Json> {
  const input = createReadStream(path, 'utf8');
  try {
    let number = 0;
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const value = parsed(text, path, number);
      const known = isObject(value) && ['schema', 'seq', 'checkpoint'].some((it) => value[it] !== undefined);
      if (!known) throw damaged(path, number);
      if (matches(value)) yield value;
    }
  } finally {
    input.destroy();
  }
}

function parsed(text: string, path: string, number: number): Json {
  try {
    return parseBounded(text, answerLimits);
  } catch {
    throw damaged(path, number);
  }
}

function damaged(path: string, number: number): HostError {
  return new HostError('integrity', `line ${number} of ${path} is not part of an audit log export`, {
    hint: 'export the audit log again',
  });
}
