import type { OutputReader } from '../model/action.js';
import { isObject, type Json } from '../model/json.js';
import { answerLimits, parseBounded } from '../model/json-bounds.js';
import { TokenBucket } from './rpc/token-bucket.js';
import type { Progress, RunRequest } from './run.js';

/** Records that are reported one by one: the first hundred at once, then twenty per second. The others only count. */
const reportRate = { burst: 100, perSecond: 20 };
/** Characters. A longer record is reported without its content. */
const maxShown = 4000;
/** Bytes of a line that is kept until its end arrives. A longer one only counts. */
const maxLine = 64 * 1024;

export interface RecordStreamOptions {
  readonly onProgress: (progress: Progress) => void;
  /** True: a record `{"error": {…}}` is the failure of the call and not reported. */
  readonly errorEnvelope: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Reports each record of a stream as soon as its line is complete, with its JSON as the message. Reporting is a
 * courtesy: lines that are not JSON are left to the reader of the whole output, which rejects them.
 */
export function recordStream({
  onProgress,
  errorEnvelope,
  now,
}: RecordStreamOptions): (chunk: Buffer) => void {
  const bucket = new TokenBucket(reportRate, now);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let count = 0;
  const report = (line: string) => {
    const record = parsed(line);
    if (record === undefined || (errorEnvelope && isObject(record.json) && isObject(record.json.error)))
      return;
    count++;
    if (!bucket.take(1)) return;
    const message = line.length <= maxShown ? line : `record ${count} with ${line.length} characters`;
    onProgress({ progress: count, message });
  };
  const keep = (part: Buffer) => {
    pendingBytes += part.length;
    if (pendingBytes <= maxLine) pending.push(part);
  };
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      if (pendingBytes > maxLine) count++;
      else report(Buffer.concat(pending).toString('utf8').trim());
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    keep(chunk.subarray(start));
  };
}

/** Reports the records of a call while it runs; undefined if its output is not a stream, or nobody listens. */
export function recordReporter(
  { format, errorEnvelope }: OutputReader,
  { onProgress }: Pick<RunRequest, 'onProgress'>,
): ((chunk: Buffer) => void) | undefined {
  return format === 'records' && onProgress !== undefined
    ? recordStream({ onProgress, errorEnvelope })
    : undefined;
}

function parsed(line: string): { readonly json: Json } | undefined {
  if (line === '') return undefined;
  try {
    return { json: parseBounded(line, answerLimits) };
  } catch {
    return undefined;
  }
}
