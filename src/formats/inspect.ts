import type { Bundle } from '../model/bundle.js';
import { compareDiagnostics } from '../model/diagnostic.js';
import type { Format, ParseOptions, ParseResult } from '../model/format.js';

/** Unless the host says otherwise. */
export const defaultParseOptions: ParseOptions = { agentVersion: '1.0.0', reservedIds: [] };

/** Parses a bundle; findings come sorted. */
export function inspect(
  format: Format,
  bundle: Bundle,
  options: ParseOptions = defaultParseOptions,
): ParseResult {
  const result = format.parse(bundle, options);
  return { ...result, diagnostics: [...result.diagnostics].sort(compareDiagnostics) };
}
