import { contributionDecisions } from '../../../model/contribution.js';
import { isObject, type Json } from '../../../model/json.js';
import type { ReviewEntry } from '../../../model/review-queue.js';

/** Undefined if the value is not an entry as it is written. */
export function readReviewEntry(value: Json | undefined): ReviewEntry | undefined {
  if (!isObject(value)) return undefined;
  const { id, sha256, publisher, submittedAt, verdict, review } = value;
  const texts = [id, sha256, publisher, submittedAt].every((it) => typeof it === 'string');
  if (!texts || !/^[0-9a-f]{64}$/.test(sha256 as string) || !(sha256 as string).startsWith(id as string))
    return undefined;
  if (
    !isObject(verdict) ||
    !contributionDecisions.some((it) => it === verdict.decision) ||
    !Array.isArray(verdict.findings)
  )
    return undefined;
  const isDecided =
    isObject(review) &&
    (review.decision === 'approved' || review.decision === 'rejected') &&
    typeof review.reviewer === 'string';
  if (review !== undefined && !isDecided) return undefined;
  return value as unknown as ReviewEntry;
}
