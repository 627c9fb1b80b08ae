// The operator of a registry warns about releases, and ends that.
import { HostError } from '../../model/host-error.js';
import type { TargetsDocument } from '../metadata/metadata-document.js';
import { type PackageName, releasePath } from '../names/package-name.js';
import { checkedReason, releaseRecords } from '../names/release-record.js';
import { namespaceIn } from './namespace-approval.js';
import { describePackages } from './package-description.js';
import type { RepositoryChange } from './repository-change.js';

/** The operator of a registry warns about a release. Publishers cannot do that to each other. */
export async function quarantineRelease(
  change: RepositoryChange,
  {
    name,
    version,
    reason,
  }: { readonly name: PackageName; readonly version: string; readonly reason: string },
): Promise<void> {
  const found = await namespaceIn(change, name.namespace);
  const path = releasePath({ name, version }, change.view.bins);
  if (found?.document === undefined || !Object.hasOwn(found.document.targets, path))
    throw new HostError('not_found', `the registry has no ${name.text} ${version}`);
  const old = await change.quarantine();
  if (old.some((it) => it.name === name.text && it.version === version)) return;
  const entry = { name: name.text, version, reason: checkedReason(reason), time: change.time };
  change.setQuarantine([...old, entry]);
  change.record({ kind: 'quarantine', ...entry });
  await describeAgain(change, name, found.document);
}

async function describeAgain(
  change: RepositoryChange,
  name: PackageName,
  document: TargetsDocument | undefined,
): Promise<void> {
  const records = document === undefined ? [] : releaseRecords(document, change.view.bins);
  await describePackages(change, records, new Set([name.text]), () => undefined);
}

/** Ends the quarantine of a release. */
export async function releaseFromQuarantine(
  change: RepositoryChange,
  {
    name,
    version,
    reason,
  }: { readonly name: PackageName; readonly version: string; readonly reason: string },
): Promise<void> {
  const old = await change.quarantine();
  const kept = old.filter((it) => it.name !== name.text || it.version !== version);
  if (kept.length === old.length)
    throw new HostError('not_found', `${name.text} ${version} is not under quarantine`);
  change.setQuarantine(kept);
  change.record({
    kind: 'release',
    name: name.text,
    version,
    reason: checkedReason(reason),
    time: change.time,
  });
  await describeAgain(change, name, (await namespaceIn(change, name.namespace))?.document);
}
