import { relative } from 'node:path';
import { discover } from '../../../bundle/discover.js';
import { diagnosticCodesOf } from '../../../formats/diagnostic-codes.js';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { defaultParseOptions, inspect } from '../../../formats/inspect.js';
import { hostErrorCodes } from '../../../model/host-error.js';
import type { Package } from '../../../model/package.js';
import { documentNames, documents } from '../../documents/documents.js';
import { configKeys } from '../config/config-keys.js';
import type { CompletionWord } from './complete.js';

export interface LookupPlace {
  readonly cwd: string;
  readonly formats: readonly FormatDescriptor[];
  /** Absolute folders to search if the command line names none. */
  defaultPaths(): Promise<readonly string[]>;
}

/** Names for a placeholder. Reads manifests only: no host is asked or started, and nothing is written. */
export async function lookUpNames(
  placeholder: string,
  paths: readonly string[],
  place: LookupPlace,
): Promise<readonly CompletionWord[]> {
  const found = () => packagesIn(paths, place);
  switch (placeholder) {
    case 'PACKAGE':
    case 'PKG':
    case 'AGENT':
    case 'WORD':
      return (await found()).map(({ id, description }) => ({ text: id, about: description }));
    case 'PACKAGE/TOOL':
    case 'PKG/TOOL':
      return (await found()).flatMap(({ id, tools }) =>
        tools.map(({ name, description }) => ({ text: `${id}/${name}`, about: description })),
      );
    case 'TOOL':
      // A tool alone is written only after the path of its package.
      if (paths.length === 0) return [];
      return (await found()).flatMap(({ tools }) =>
        tools.map(({ name, description }) => ({ text: name, about: description })),
      );
    case 'CODE':
      return [...Object.keys(diagnosticCodesOf(place.formats)), ...hostErrorCodes].map((text) => ({ text }));
    case 'DOCUMENT':
      return documentNames.map((it) => ({ text: it, about: documents[it].description }));
    case 'KEY':
      return configKeys.map(({ name }) => ({ text: name }));
    default:
      return [];
  }
}

async function packagesIn(paths: readonly string[], place: LookupPlace): Promise<Package[]> {
  const { cwd, formats } = place;
  const roots = paths.length > 0 ? paths : (await place.defaultPaths()).map((it) => relative(cwd, it) || '.');
  const packages: Package[] = [];
  for (const { format, bundle } of discover(roots, { cwd, formats, depth: 4 }).found) {
    const { package: pkg } = inspect(await format.load(), bundle, defaultParseOptions);
    if (pkg !== undefined) packages.push(pkg);
  }
  return packages;
}
