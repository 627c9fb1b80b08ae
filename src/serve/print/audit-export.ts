import type { AuditReader, HashedAuditEntry } from '../../host/host.js';

const chunkLength = 64 * 1024;

/** A part of the audit log with its proof: the hashes of every entry and the signed checkpoints of that part. */
export async function* exportLines(
  log: AuditReader,
  span: { readonly first: number; readonly last: number } | undefined,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  const write = format === 'ndjson' ? ndjson : csv;
  let chunk = format === 'csv' ? 'seq,at,kind,body,previous,hash\r\n' : '';
  if (span !== undefined) {
    const head = {
      schema: 'toolwharf/audit-export@1',
      first: span.first,
      publicKey: log.publicKey() ?? null,
    };
    if (format === 'ndjson') chunk += `${JSON.stringify(head)}\n`;
    for (const line of log.entries(span.first - 1, span.last)) {
      chunk += write(line);
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
    }
    for await (const line of log.checkpoints()) {
      const { seq } = JSON.parse(line) as { seq: number };
      if (seq < span.first || seq > span.last) continue;
      chunk +=
        format === 'ndjson'
          ? `${JSON.stringify({ checkpoint: line })}\n`
          : csvRow([seq, '', 'signed checkpoint', line, '', '']);
    }
  }
  if (chunk !== '') yield chunk;
}

function ndjson({ seq, at, kind, body, previous, hash }: HashedAuditEntry): string {
  return `${JSON.stringify({ seq, at, kind, body, previous, hash })}\n`;
}

function csv({ seq, at, kind, body, previous, hash }: HashedAuditEntry): string {
  return csvRow([seq, at, kind, body, previous, hash]);
}

/** RFC 4180. No cell starts like a spreadsheet formula: cells are numbers, times, names and JSON. */
function csvRow(cells: readonly (string | number)[]): string {
  const quoted = cells.map((it) => `"${String(it).replaceAll('"', '""')}"`);
  return `${quoted.join(',')}\r\n`;
}
