// Targets that the registry itself signs: the parts of the search index, and the list of releases under quarantine.
import { inflate } from '../../files/inflate.js';
import { HostError } from '../../model/host-error.js';
import type { TargetEntry } from '../metadata/metadata-document.js';
import {
  maxQuarantineBytes,
  type QuarantinedRelease,
  quarantinePath,
  readQuarantine,
} from '../names/quarantine-list.js';
import { type ReleaseSummary, readSummaries } from '../names/release-summary.js';
import type { RegistryView } from './registry-view.js';

/** Of one part. A package has about one kilobyte, and the parts share all packages. */
const maxIndexBytes = { packed: 16 * 1024 * 1024, text: 64 * 1024 * 1024 };

export function indexPath(bin: string): string {
  return `index/${bin}.jsonl.gz`;
}

/** One part of the index; empty if there is none yet. */
export async function summariesOf(
  view: RegistryView,
  path: string,
  entry: TargetEntry | undefined,
): Promise<Map<string, ReleaseSummary>> {
  if (entry === undefined) return new Map();
  const bytes = await view.readTarget(path, entry, maxIndexBytes.packed);
  const text = inflate(bytes, maxIndexBytes.text);
  if (text === null || text === 'too-large')
    throw new HostError('integrity', `${path} of the registry is damaged: it cannot be decompressed`);
  return readSummaries(Buffer.from(text).toString('utf8'));
}

/** The list of releases under quarantine; undefined if there never was one. */
export async function quarantineEntryOf(view: RegistryView): Promise<TargetEntry | undefined> {
  return (await view.delegated('quarantine'))?.document.targets[quarantinePath];
}

export async function quarantineOf(view: RegistryView): Promise<QuarantinedRelease[]> {
  const entry = await quarantineEntryOf(view);
  return entry === undefined
    ? []
    : readQuarantine(await view.readTarget(quarantinePath, entry, maxQuarantineBytes));
}

/** The names of all packages of the index. */
export async function packageNamesIn(view: RegistryView): Promise<string[]> {
  const index = (await view.delegated('index'))?.document;
  const names: string[] = [];
  for (const [path, entry] of Object.entries(index?.targets ?? {}))
    names.push(...(await summariesOf(view, path, entry)).keys());
  return names;
}
