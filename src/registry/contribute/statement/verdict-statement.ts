import type { KeyObject } from 'node:crypto';
import {
  type ContributionDecision,
  type ContributionVerdict,
  contributionDecisions,
} from '../../../model/contribution.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import type { ReviewDecision } from '../../../model/review-queue.js';
import { type DsseEnvelope, openEnvelope, signEnvelope } from './dsse.js';
import { parseStatement, type StatementSubject, statementBytes, statementPayloadType } from './in-toto.js';

/** The type of our own statements: the result of the publishing checks, and who decided if a person had to. */
export const verdictPredicateType = 'urn:toolwharf:predicate:contribution:v1';

/** What the statement says about one archive. */
export interface VerdictStatement {
  readonly subject: StatementSubject;
  readonly verdict: ContributionVerdict;
  readonly review?: ReviewDecision | undefined;
}

export function signVerdict(
  { subject, verdict, review }: VerdictStatement,
  keys: readonly { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[],
): DsseEnvelope {
  const predicate = { verdict, ...(review === undefined ? {} : { review }) } as unknown as JsonObject;
  const bytes = statementBytes({ subjects: [subject], predicateType: verdictPredicateType, predicate });
  return signEnvelope(statementPayloadType, bytes, keys);
}

/** What a client needs to know of a verdict that it trusts. */
export interface VerifiedVerdict {
  readonly decision: ContributionDecision;
  readonly review: ReviewDecision['decision'] | undefined;
  /** The whole predicate, for people. */
  readonly predicate: JsonObject;
  readonly signers: readonly string[];
}

/** The verdict about the archive with this hash; undefined if it is about another one or not signed by these keys. */
export function verifyVerdict(
  envelope: DsseEnvelope,
  sha256: string,
  trust: { readonly keys: readonly KeyObject[]; readonly threshold?: number },
): VerifiedVerdict | undefined {
  const opened = openEnvelope(envelope, { ...trust, payloadType: statementPayloadType });
  const statement = opened === undefined ? undefined : parseStatement(opened.payload);
  if (opened === undefined || statement?.predicateType !== verdictPredicateType) return undefined;
  if (!statement.subjects.some((it) => it.sha256 === sha256)) return undefined;
  const { verdict, review } = statement.predicate;
  const decision = isObject(verdict)
    ? contributionDecisions.find((it) => it === verdict.decision)
    : undefined;
  if (decision === undefined) return undefined;
  const reviewed = isObject(review)
    ? (['approved', 'rejected'] as const).find((it) => it === review.decision)
    : undefined;
  if (review !== undefined && reviewed === undefined) return undefined;
  return { decision, review: reviewed, predicate: statement.predicate, signers: opened.signers };
}
