import { createPublicKey } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { AuditVerdict } from '../model/audit.js';
import { HostError } from '../model/host-error.js';
import { isObject, type Json } from '../model/json.js';
import { checkAuditLog } from './audit-check.js';
import { trustedKey } from './checkpoints.js';
import type { AuditTable } from './database.js';

interface Head {
  readonly first: number;
  readonly publicKey: string | null;
}

/** Checks an export by itself. `trusted`: file of the public key; else the one that came with it, which proves less. */
export async function verifyExportFile(path: string, trusted: string | undefined): Promise<AuditVerdict> {
  const head = await headOf(path);
  const own = head.publicKey === null ? undefined : createPublicKey(head.publicKey);
  let previous: string | undefined;
  for await (const line of entriesOf(path, isLine)) {
    previous = (line as unknown as AuditTable).previous;
    break;
  }
  return checkAuditLog({
    lines: entriesOf(path, isLine) as unknown as AsyncIterable<AuditTable>,
    checkpoints: checkpointsOf(path),
    publicKey: trusted === undefined ? own : trustedKey(trusted),
    ...(head.first === 1 ? {} : { from: { seq: head.first, previous: previous ?? '' } }),
  });
}

async function headOf(path: string): Promise<Head> {
  for await (const value of entriesOf(path, () => true)) {
    if (isObject(value) && value.schema === 'toolwharf/audit-export@1' && typeof value.first === 'number')
      return { first: value.first, publicKey: typeof value.publicKey === 'string' ? value.publicKey : null };
    break;
  }
  throw new HostError('usage', `${path} is not an export of the record`, {
    hint: 'make one with "toolwharf audit export > FILE"; one as csv cannot be checked by itself',
  });
}

function isLine(value: Json): boolean {
  return isObject(value) && value.seq !== undefined;
}

async function* checkpointsOf(path: string): AsyncGenerator<string> {
  for await (const value of entriesOf(path, (it) => isObject(it) && it.checkpoint !== undefined))
    yield String((value as { checkpoint: Json }).checkpoint);
}

/** One pass over the file for each kind of line: it may be larger than memory. */
async function* entriesOf(path: string, wanted: (value: Json) => boolean): AsyncGenerator<Json> {
  const input = createReadStream(path, 'utf8');
  try {
    let number = 0;
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const value = parsed(text, path, number);
      const known = isObject(value) && ['schema', 'seq', 'checkpoint'].some((it) => value[it] !== undefined);
      if (!known) throw damaged(path, number);
      if (wanted(value)) yield value;
    }
  } finally {
    input.destroy();
  }
}

function parsed(text: string, path: string, number: number): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw damaged(path, number);
  }
}

function damaged(path: string, number: number): HostError {
  return new HostError('integrity', `line ${number} of ${path} is not a line of an export`, {
    hint: 'export it again',
  });
}
