import { sha256 } from '../../files/sha256.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { appChanges } from '../../policy/review/announced-app.js';
import { entryChanges } from '../../policy/review/announced-entry.js';
import { announcedTextDifferences, announcedToolChanges } from '../../policy/review/announcement.js';
import type { UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import type { PackageReview } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

/** The changes in what a package's programs announce, for the operator to review. */
export function announcementReview(
  { loaded }: CheckedPackage,
  waiting: ReadonlyMap<string, ProgramAnnouncement>,
): PackageReview {
  const before = [...waiting].map(([program, it]) => [program, it.agreed] as const);
  const after = [...waiting].map(([program, it]) => [program, it.waiting] as const);
  return {
    package: loaded.catalog?.package.id ?? '',
    path: loaded.file,
    from: digestOf(before),
    to: digestOf(after),
    widened: [...waiting].flatMap(([program, { agreed, waiting: now }]) =>
      now === null ? [] : changes(agreed, now).map((line) => `${program}: ${line}`),
    ),
    reworded: [],
    texts: [...waiting.values()].flatMap(({ agreed, waiting: now }) =>
      now === null ? [] : announcedTextDifferences(agreed.tools, now.tools),
    ),
    narrowed: [],
  };
}

function changes(before: UpstreamAnnouncement, after: UpstreamAnnouncement): string[] {
  const hooks = after.hooks.filter((it) => !before.hooks.includes(it));
  return [
    ...announcedToolChanges(before.tools, after.tools),
    ...hooks.map((it) => `it adds the hook ${it}`),
    ...entryChanges('prompts', before.prompts, after.prompts),
    ...entryChanges('resources', before.resources, after.resources),
    ...entryChanges('templates', before.templates, after.templates),
    ...appChanges(before.apps, after.apps),
    ...((before.instructions ?? '') === (after.instructions ?? '')
      ? []
      : [`its instructions are now: ${JSON.stringify(after.instructions ?? '')}`]),
  ];
}

function digestOf(value: unknown): string {
  return sha256(text(value));
}

function text(value: unknown): string {
  return canonicalJson(value as Json);
}
