import type { AuditReader, ProvenEntry } from '../../host/host.js';

const pieceBytes = 64 * 1024;

/** A part of the record with its proof: hashes with every line, and the signed checkpoints of that part. */
export async function* exportLines(
  record: AuditReader,
  span: { readonly first: number; readonly last: number } | undefined,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  const write = format === 'ndjson' ? ndjson : csv;
  let held = format === 'csv' ? 'seq,at,kind,body,previous,hash\r\n' : '';
  if (span !== undefined) {
    const head = {
      schema: 'toolwharf/audit-export@1',
      first: span.first,
      publicKey: record.publicKey() ?? null,
    };
    if (format === 'ndjson') held += `${JSON.stringify(head)}\n`;
    for (const line of record.lines(span.first - 1, span.last)) {
      held += write(line);
      if (held.length < pieceBytes) continue;
      yield held;
      held = '';
    }
    for await (const line of record.checkpoints()) {
      const { seq } = JSON.parse(line) as { seq: number };
      if (seq < span.first || seq > span.last) continue;
      held +=
        format === 'ndjson'
          ? `${JSON.stringify({ checkpoint: line })}\n`
          : csvRow([seq, '', 'signed checkpoint', line, '', '']);
    }
  }
  if (held !== '') yield held;
}

function ndjson({ seq, at, kind, body, previous, hash }: ProvenEntry): string {
  return `${JSON.stringify({ seq, at, kind, body, previous, hash })}\n`;
}

function csv({ seq, at, kind, body, previous, hash }: ProvenEntry): string {
  return csvRow([seq, at, kind, body, previous, hash]);
}

/** RFC 4180. A cell that a spreadsheet would run gets a quote in front; JSON never begins like that. */
function csvRow(cells: readonly (string | number)[]): string {
  const quoted = cells.map((it) => `"${String(it).replaceAll('"', '""')}"`);
  return `${quoted.join(',')}\r\n`;
}
