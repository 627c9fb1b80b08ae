import type { Bundle } from '../model/bundle.js';
import { compareDiagnostics } from '../model/diagnostic.js';
import type { FormatParser, ParseOptions, ParseResult } from '../model/format.js';

/** The options that `inspect` uses by default. */
export const defaultParseOptions: ParseOptions = { agentVersion: '1.0.0', reservedIds: [] };

/** Parses a bundle. Returns the package, if it is valid, and the diagnostics sorted by place. */
export function inspect(
  format: FormatParser,
  bundle: Bundle,
  options: ParseOptions = defaultParseOptions,
): ParseResult {
  const result = format.parse(bundle, options);
  return { ...result, diagnostics: [...result.diagnostics].sort(compareDiagnostics) };
}
