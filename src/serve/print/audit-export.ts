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
      ...(span.first === 1 ? {} : { before: log.treeBefore(span.first) }),
    };
    if (format === 'ndjson') chunk += `${JSON.stringify(head)}\n`;
    for (const line of log.entries(span.first - 1, span.last)) {
      chunk += write(line);
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
    }
    for await (const note of log.checkpoints()) {
      // The second line of a checkpoint is the number of entries.
      const size = Number(note.split('\n', 2)[1]);
      if (size < span.first || size > span.last) continue;
      chunk +=
        format === 'ndjson'
          ? `${JSON.stringify({ checkpoint: note })}\n`
          : csvRow([size, '', 'signed checkpoint', note, '', '']);
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
