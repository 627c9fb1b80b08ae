import type { Bundle } from '../model/bundle.js';
import { compareDiagnostics } from '../model/diagnostic.js';
import type { Candidate, Claim, Format, FormatName, ParseOptions, ParseResult } from '../model/format.js';
import { patch } from './patch/format.js';

/** Every front end, in the order in which they are asked. A new format is one line here. */
export const formats: readonly Format[] = [patch];

/** Unless the host says otherwise. */
export const defaultParseOptions: ParseOptions = { agentVersion: '1.0.0', reservedIds: [] };

export function formatNamed(name: FormatName): Format {
  const found = formats.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no front end is called ${name}`);
  return found;
}

/** The front end that takes a file for one of its manifests, if any does. */
export function detect(candidate: Candidate): { format: Format; claim: Claim } | null {
  for (const format of formats) {
    const claim = format.claim(candidate);
    if (claim !== null) return { format, claim };
  }
  return null;
}

/** Parses a bundle; findings come sorted. */
export function inspect(
  format: Format,
  bundle: Bundle,
  options: ParseOptions = defaultParseOptions,
): ParseResult {
  const result = format.parse(bundle, options);
  return { ...result, diagnostics: [...result.diagnostics].sort(compareDiagnostics) };
}
