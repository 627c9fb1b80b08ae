// What the search index says about packages that a change touches.
import { chooseRelease } from '../client/release-choice.js';
import { binOf, parsePackageName } from '../names/package-name.js';
import type { ReleaseRecord } from '../names/release-record.js';
import type { ReleaseSummary } from '../names/release-summary.js';
import type { RepositoryChange } from './repository-change.js';

/** The index has the version that people get who name none: not an older one published later, nor a withdrawn one. */
export async function describePackages(
  change: RepositoryChange,
  records: readonly ReleaseRecord[],
  names: ReadonlySet<string>,
  summaryOf: (record: ReleaseRecord) => Omit<ReleaseSummary, 'name' | 'version'> | undefined,
): Promise<void> {
  const quarantine = await change.quarantine();
  for (const text of names) {
    const own = records.filter((it) => it.name.text === text);
    const bin = binOf(parsePackageName(text).namespace, change.view.bins);
    const found = own.map((release) => ({
      registry: '',
      release,
      quarantined: quarantine.find((it) => it.name === text && it.version === release.version),
    }));
    const choice = chooseRelease(found, 'latest');
    if (choice.kind === 'none') continue;
    const { release: latest } = choice.found;
    const summary = choice.kind === 'found' ? summaryOf(latest) : undefined;
    if (summary === undefined) change.setLatest(bin, text, latest.version);
    else change.describe(bin, { ...summary, name: text, version: latest.version });
  }
}
