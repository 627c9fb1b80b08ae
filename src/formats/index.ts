// The library entry point `toolwharf/formats`: all formats with their parsers. Commands load a parser on demand.
import type { Candidate, Claim, Format } from '../model/format.js';
import { builtInFormats, type FormatName } from './built-in-formats.js';
import { detectFormat } from './detect.js';

export type { Bundle, BundleEntry, RejectionReason } from '../model/bundle.js';
export type {
  Candidate,
  Claim,
  Format,
  FormatParser,
  ManifestFields,
  ParseOptions,
  ParseResult,
} from '../model/format.js';
export type { FormatName } from './built-in-formats.js';
export type { FormatDescriptor, ManifestFileNames } from './format-descriptor.js';
export { defaultParseOptions, inspect } from './inspect.js';
export type { ImportedBundle, RepositoryFiles, RepositoryImporter } from './repository-import.js';
export type { Starter, StarterFile, StarterMachine } from './starter.js';
export { builtInFormats };

/** All formats, in the order in which a file is offered to them. */
export const formats: readonly Format<FormatName>[] = await Promise.all(
  builtInFormats.map(async ({ name, claim, load }) => ({ name, claim, ...(await load()) })),
);

/** Returns the format with this name. */
export function formatNamed(name: FormatName): Format<FormatName> {
  const found = formats.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no format is called ${name}`);
  return found;
}

/** Returns the first format that claims a file, with its claim; null if none does. */
export function detect(
  candidate: Candidate,
): { readonly format: Format<FormatName>; readonly claim: Claim } | null {
  return detectFormat(formats, candidate);
}
