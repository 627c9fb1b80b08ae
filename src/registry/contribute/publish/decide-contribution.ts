// What becomes of a package after its checks: its verdict is signed, it waits for a person, or it is rejected.
import type { KeyObject } from 'node:crypto';
import type { ContributionFinding, ContributionVerdict } from '../../../model/contribution.js';
import { HostError } from '../../../model/host-error.js';
import type { ReviewEntry, ReviewQueue } from '../../../model/review-queue.js';
import type { DsseEnvelope } from '../statement/dsse.js';
import { signVerdict } from '../statement/verdict-statement.js';

/** An archive with the result of its checks. */
export interface ContributedArchive {
  readonly verdict: ContributionVerdict;
  readonly archive: Uint8Array;
  /** SHA-256 of the archive, in hex. */
  readonly sha256: string;
  /** How the statement calls it. */
  readonly archiveName: string;
}

export interface DecisionOptions {
  readonly queue: ReviewQueue;
  /** Who publishes, for the queue. */
  readonly name: string;
  /** Those that speak for the registry. */
  readonly keys: readonly { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[];
  /** ISO 8601, UTC. */
  readonly now: string;
}

export type DecidedContribution =
  | { readonly status: 'passed'; readonly statement: DsseEnvelope }
  | { readonly status: 'waits-for-review'; readonly entry: ReviewEntry };

/** The checks reject an archive. */
export class RejectedContribution extends HostError {
  readonly findings: readonly ContributionFinding[];

  constructor({ findings }: ContributionVerdict) {
    const rejected = findings.filter((it) => it.severity === 'reject');
    const more = rejected.length > 1 ? `; ${rejected.length - 1} more` : '';
    super('denied', `the checks reject this package: ${rejected[0]?.message ?? 'no reason given'}${more}`, {
      hint: 'see all findings: toolwharf contribute PATH --dry-run',
    });
    this.findings = findings;
  }
}

/**
 * What passed, or what a person approved, gets a signed verdict. Everything else waits in the queue, or is rejected. A
 * verdict that rejects cannot be approved.
 */
export async function decideContribution(
  { verdict, archive, sha256, archiveName }: ContributedArchive,
  { queue, name, keys, now }: DecisionOptions,
): Promise<DecidedContribution> {
  if (verdict.decision === 'reject') throw new RejectedContribution(verdict);
  const subject = { name: archiveName, sha256 };
  if (verdict.decision === 'pass')
    return { status: 'passed', statement: signVerdict({ subject, verdict }, keys) };
  const entry = await queue.submit({ sha256, publisher: name, submittedAt: now, verdict }, archive);
  const { review } = entry;
  if (review === undefined) return { status: 'waits-for-review', entry };
  if (review.decision === 'rejected')
    throw new HostError('approval_denied', `${review.reviewer} rejected this package`, {
      ...(review.note === undefined ? {} : { hint: review.note }),
    });
  // A person approved what the checks found then. What they find now must be no more.
  const known = new Set(entry.verdict.findings.map(keyOf));
  const news = verdict.findings.filter((it) => it.severity === 'review' && !known.has(keyOf(it)));
  if (news.length > 0)
    throw new HostError(
      'approval_required',
      `the checks find more than when ${review.reviewer} approved it`,
      { hint: news.map((it) => it.message).join('; ') },
    );
  return { status: 'passed', statement: signVerdict({ subject, verdict, review }, keys) };
}

function keyOf({ code, file, pointer, message }: ContributionVerdict['findings'][number]): string {
  return JSON.stringify([code, file, pointer, message]);
}
