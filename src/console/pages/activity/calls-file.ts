import type { ActivityCall, ActivityFilter } from '../../../model/activity.js';
import { csvRow } from '../../../model/csv-row.js';
import type { ReadCalls } from './call-pages.js';

export type FileFormat = 'csv' | 'ndjson';

const readAtOnce = 1000;

interface CallsFileOptions {
  readonly format: FileFormat;
  readonly filter: ActivityFilter;
  readonly read: ReadCalls;
  /** Called after each part. False ends the reading. */
  readonly onProgress: (done: number, total: number) => boolean;
}

/** All calls that fit, newest first, as parts of a file. Null if it was ended early. */
export async function callsFile({
  format,
  filter,
  read,
  onProgress,
}: CallsFileOptions): Promise<readonly string[] | null> {
  const parts: string[] = format === 'csv' ? [header] : [];
  const write = format === 'csv' ? csvOf : (it: ActivityCall) => `${JSON.stringify(it)}\n`;
  let before: number | undefined;
  let done = 0;
  let total = 0;
  for (;;) {
    const page = await read({ ...filter, ...(before === undefined ? {} : { before }), limit: readAtOnce });
    // New calls are not in the file: each part begins before the last one.
    if (before === undefined) total = page.total;
    parts.push(page.calls.map(write).join(''));
    done += page.calls.length;
    if (!onProgress(done, total)) return null;
    before = page.calls.at(-1)?.seq;
    if (before === undefined || page.calls.length < readAtOnce) return parts;
  }
}

const header = csvRow([
  'time',
  'outcome',
  'tool',
  'client',
  'reason',
  'duration_ms',
  'call',
  'approval',
  'entry',
]);

function csvOf({
  at,
  status,
  tool,
  principal,
  reason,
  durationMs,
  call,
  approval,
  seq,
}: ActivityCall): string {
  const time = new Date(at).toISOString();
  return csvRow([time, status, tool, principal, reason, durationMs, call, approval, seq]);
}
