// Entries of the lists of prompts and resources that servers announced.
import { isAppAddress } from '../../model/app-resource.js';
import { canonicalJson, type JsonObject } from '../../model/json.js';
import { upstreamPrograms } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import { findHidden } from '../../model/unicode.js';
import { entryText } from '../../policy/review/announced-entry.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { PackageUpstreams } from './package-upstreams.js';
import { isServedApp } from './upstream-apps.js';
import { packageOf } from './upstream-program.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

/** Characters of one entry of a list, as JSON. Longer entries are left out. */
const maxEntryLength = 64 * 1024;

/** An entry of an announced list. */
interface AcceptedEntry {
  readonly checked: CheckedPackage;
  readonly program: Program;
  readonly entry: JsonObject;
  /** Whether the package has more than one upstream. */
  readonly several: boolean;
}

/** The entries of all servers that clients may see. */
export function acceptedEntries(
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
  kind: 'prompts' | 'resources' | 'templates',
): AcceptedEntry[] {
  return packages.flatMap((it) => {
    const known = upstreams.announcements(it);
    const programs = known.size === 0 ? [] : upstreamPrograms(packageOf(it));
    return programs
      .filter((program) => program.protocol === 'mcp')
      .flatMap((program) =>
        listableEntries(known.get(program.name), kind).map((entry) => ({
          checked: it,
          program,
          entry,
          several: programs.length > 1,
        })),
      );
  });
}

/** Accepted entries without those that changed and need review, and without those with hidden characters. */
function listableEntries(
  known: ProgramAnnouncement | undefined,
  kind: 'prompts' | 'resources' | 'templates',
): JsonObject[] {
  const waiting = known?.waiting?.[kind];
  const current = waiting === undefined ? undefined : new Set(waiting.map(entryText));
  return (known?.agreed[kind] ?? []).filter((it) => {
    const text = canonicalJson(it);
    const isUnchanged = current === undefined || current.has(entryText(it));
    if (
      kind === 'resources' &&
      isAppAddress(String(it.uri)) &&
      !isServedApp(known as ProgramAnnouncement, String(it.uri))
    )
      return false;
    return isUnchanged && text.length <= maxEntryLength && [...findHidden(text)].length === 0;
  });
}
