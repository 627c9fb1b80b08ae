import { effect } from '@preact/signals';
import type { PackageState } from '../../../host/host.js';
import { announce } from '../../shell/announcement.js';
import { connection, touch } from '../../shell/connection.js';
import { live } from '../../shell/live.js';
import { hostApi, sessionApi } from '../../shell/operations.js';

/** Calls that wait for a person, oldest first. */
export const held = live(['approvals'], async () =>
  [...(await hostApi.approvals.list(['proposed']))].sort((a, b) => a.createdAt - b.createdAt),
);
/** Calls that ran when a host died. */
export const outcomes = live(['outcomes'], () => hostApi.outcomes.unknown());
/** Packages that agents asked for. */
export const askedPackages = live(['requests'], () => hostApi.installRequests.list());
/** What shows a rollback of the audit log. */
export const rollbacks = live(['outcomes'], () => hostApi.rollbacks.list());
/** The packages of this host, for those that need a person. */
export const packages = live(
  ['packages', 'values', 'kills'],
  async () => (await sessionApi.packages()).packages,
);
/** The open sessions, for where the caller of a held call works. */
export const sessions = live(['clients'], () => hostApi.openSessions());
/** Files that tools made in steering places. */
export const moved = live(['packages', 'calls'], () => hostApi.quarantine.list());

/** Packages that wait for a person before a registry publishes them. */
export const publications = live(['requests'], () => sessionApi.registries.reviews());

/** What the inbox shows. */
const lists = [held, outcomes, askedPackages, rollbacks, packages, moved, publications];
const all = [...lists, sessions];

// As soon as the host answers for the first time, and then for as long as the page is open.
const stop = effect(() => {
  if (connection.value !== 'live') return;
  for (const it of all) it.start();
  queueMicrotask(() => stop());
});

/** Held calls that screen readers were told about. */
let announced: ReadonlySet<string> = new Set();
// On every page: nobody should have to open the inbox to learn that a call waits.
effect(() => {
  const calls = held.value.value ?? [];
  const added = calls.filter((it) => !announced.has(it.id));
  announced = new Set(calls.map((it) => it.id));
  if (added.length === 1) announce(`New held call: ${added[0]?.tool}`);
  else if (added.length > 1) announce(`${added.length} new held calls`);
});

// Publishers write into the folder of a registry, and the host does not notice it.
const publicationsEveryMs = 20_000;
setInterval(() => {
  const isFollowed = (publications.peek().value?.registries.length ?? 0) > 0;
  if (isFollowed && connection.peek() === 'live' && document.visibilityState === 'visible')
    touch(['requests']);
}, publicationsEveryMs);

/** How many packages wait for a decision before a registry publishes them. */
export function publicationCount(): number {
  return publications.value.value?.waiting.length ?? 0;
}

/** Packages that changed, or whose programs announced changes, since somebody accepted them. */
export function packagesToReview(): readonly PackageState[] {
  return (packages.value.value ?? []).filter(
    (it) => it.state === 'needs-review' || it.announcedChanges === true,
  );
}

/** Whether everything that may wait for the person was read. */
export function isInboxKnown(): boolean {
  return lists.every((it) => it.value.value !== undefined);
}

/** Why a part of the inbox could not be read. Held calls say it themselves. */
export function inboxProblems(): readonly Error[] {
  const failed = lists.flatMap((it) => (it !== held && it.value.error ? [it.value.error] : []));
  return [...new Map(failed.map((it) => [it.message, it])).values()];
}

/** How many things wait for the person. */
export function inboxCount(): number {
  return (
    (held.value.value?.length ?? 0) +
    (outcomes.value.value?.length ?? 0) +
    (askedPackages.value.value?.length ?? 0) +
    (rollbacks.value.value?.length ?? 0) +
    (moved.value.value?.length ?? 0) +
    publicationCount() +
    packagesToReview().length +
    (packages.value.value?.filter((it) => it.state === 'needs-setup').length ?? 0)
  );
}
