import type { FormatDescriptor, ManifestFileNames } from '../formats/format-descriptor.js';

/** What the name of a file says about it, for a list of formats. */
export interface ManifestNames {
  /** Whether the search looks into files of this name. */
  mayBeManifest(name: string): boolean;
  /** Whether this whole name stands for a manifest. A folder with such a name is reported as an error. */
  isReserved(name: string): boolean;
  /** The format that alone uses this name. */
  certainFormat(name: string): FormatDescriptor | undefined;
  /** The format that is assumed for a file that no format claims. */
  likelyFormat(name: string): FormatDescriptor | undefined;
}

export function manifestNames(formats: readonly FormatDescriptor[]): ManifestNames {
  const known = cache.get(formats) ?? collectNames(formats);
  cache.set(formats, known);
  return known;
}

/** Formats are the same list for as long as a host runs, and each search needs their names. */
const cache = new WeakMap<readonly FormatDescriptor[], ManifestNames>();

function collectNames(formats: readonly FormatDescriptor[]): ManifestNames {
  const expected = formats.flatMap((it) => [...it.fileNames.certain, ...it.fileNames.likely]);
  const all = [...expected, ...formats.flatMap((it) => it.fileNames.possible)];
  const reserved = new Set(expected.filter((it) => !it.startsWith('*')));
  const names = new Set(all);
  const endings = [...names].filter((it) => it.startsWith('*')).map((it) => it.slice(1));
  const formatWith = (list: keyof ManifestFileNames, name: string) =>
    formats.find(({ fileNames }) => fileNames[list].some((it) => matches(it, name)));
  return {
    mayBeManifest: (name) => names.has(name) || endings.some((it) => name.endsWith(it)),
    isReserved: (name) => reserved.has(name),
    certainFormat: (name) => formatWith('certain', name),
    likelyFormat: (name) => formatWith('certain', name) ?? formatWith('likely', name),
  };
}

function matches(pattern: string, name: string): boolean {
  return pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern;
}
