import type { IncomingMessage } from 'node:http';
import { HostError } from '../../../model/host-error.js';
import { HttpError } from '../http-error.js';

/** Bytes. The longest form has a PIN and a note. */
const maxBytes = 16 * 1024;

/** Reads the fields of a posted form. A field that is sent twice is an error. */
export async function readForm(request: IncomingMessage): Promise<ReadonlyMap<string, string>> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new HttpError(415, 'usage', 'the body must be a form');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new HostError('canceled', 'the client disconnected before the request was complete', { cause });
  }
  if (size > maxBytes) throw new HttpError(413, 'usage', `the form is larger than ${maxBytes} bytes`);
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString('utf8'))) {
    if (fields.has(name)) throw new HttpError(400, 'usage', 'the form has a field twice');
    fields.set(name, value);
  }
  return fields;
}
