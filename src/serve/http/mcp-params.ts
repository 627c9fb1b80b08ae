import type { IncomingHttpHeaders } from 'node:http';
import { type Json, valueAt } from '../../model/json.js';
import { marksOf } from '../../wire/mcp-mark.js';
import { decoded, header } from './mcp-headers.js';

/**
 * Arguments that a schema marks with `x-mcp-header` come a second time in a header. Whatever stands between judges by
 * the header, so both must say the same.
 */
export function wrongParam(
  schema: Json | undefined,
  given: Json | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  for (const { path, header: name } of marksOf(schema)) {
    const value = valueAt(given, path);
    // What is no plain value cannot be in a header; the check of the arguments has a better word for it.
    if (typeof value === 'object' && value !== null) continue;
    const written = header(headers, name);
    if (value === undefined || value === null) {
      if (written !== undefined) return `${name} is given, the argument ${path.join('.')} is not`;
      continue;
    }
    if (written === undefined) return `the header ${name} is missing`;
    const text = decoded(written);
    if (text === undefined) return `the header ${name} is not rightly encoded`;
    const same = typeof value === 'number' ? text !== '' && Number(text) === value : text === String(value);
    if (!same) return `${name} is not what the argument ${path.join('.')} says`;
  }
  return undefined;
}
