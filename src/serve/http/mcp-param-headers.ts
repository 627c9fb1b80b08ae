import type { IncomingHttpHeaders } from 'node:http';
import { type Json, valueAt } from '../../model/json.js';
import { headerParamsOf } from '../../wire/header-params.js';
import { decodeHeaderValue, headerValue } from './mcp-headers.js';

/**
 * The schema property `x-mcp-header` makes a client repeat an argument in a header. A proxy checks the header, so header
 * and argument must match. Returns the first mismatch, or undefined.
 */
export function paramHeaderProblem(
  schema: Json | undefined,
  args: Json | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  for (const { path, header: name } of headerParamsOf(schema)) {
    const value = valueAt(args, path);
    // Objects and lists cannot be in a header. The argument check reports them with a better message.
    if (typeof value === 'object' && value !== null) continue;
    const written = headerValue(headers, name);
    if (value === undefined || value === null) {
      if (written !== undefined)
        return `the header ${name} is set, but the argument ${path.join('.')} is missing`;
      continue;
    }
    if (written === undefined) return `the header ${name} is missing`;
    const text = decodeHeaderValue(written);
    if (text === undefined) return `the header ${name} is not encoded correctly`;
    const same = typeof value === 'number' ? text !== '' && Number(text) === value : text === String(value);
    if (!same) return `the header ${name} does not match the argument ${path.join('.')}`;
  }
  return undefined;
}
