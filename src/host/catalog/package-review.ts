import { HostError } from '../../model/host-error.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { type Agreements, acceptReview } from '../packages/agreements.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { PackageReview } from '../packages/package-change.js';
import { announcementReview } from '../upstream/announcement-review.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';

/** What changed in a package, or in what its programs announce, since the operator accepted it. */
export function reviewPackage(
  checked: CheckedPackage,
  id: string,
  upstreams: PackageUpstreams,
): PackageReview {
  const { loaded, underReview } = checked;
  if (underReview !== undefined) return underReview.review;
  const waiting = upstreams.waitingAnnouncements(checked);
  if (waiting.size > 0) return announcementReview(checked, waiting);
  const { catalog, file } = loaded;
  const digest = catalog?.digest ?? '';
  const nothing = { widened: [], reworded: [], texts: [], narrowed: [] };
  return { package: id, path: file, from: digest, to: digest, ...nothing };
}

export interface Acceptance {
  readonly id: string;
  /** `to` of the review that the operator saw. */
  readonly digest: string;
  readonly who: VerifiedActor;
  /** The paths of the session. */
  readonly named: readonly string[];
}

/** Stores the operator's agreement to exactly the reviewed version. */
export async function acceptPackage(
  checked: CheckedPackage,
  { id, digest, who, named }: Acceptance,
  agreements: Agreements,
  upstreams: PackageUpstreams,
): Promise<void> {
  const waiting = upstreams.waitingAnnouncements(checked);
  const review = reviewPackage(checked, id, upstreams);
  if (checked.underReview === undefined && waiting.size === 0)
    throw new HostError('usage', `${id} does not need a review`);
  if (review.to !== digest) {
    throw new HostError('integrity', `${id} changed after the review: its digest is now ${review.to}`, {
      hint: `review it again: toolwharf review ${id}`,
    });
  }
  await acceptReview(checked.loaded, review, who, named, agreements);
  if (checked.underReview === undefined) await upstreams.accept(checked, waiting);
}
