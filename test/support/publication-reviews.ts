// Packages that wait in the review queue of a registry in a folder.
import { sha256 } from '../../src/files/sha256.js';
import type { ContributionFinding, ContributionVerdict } from '../../src/model/contribution.js';
import { startOfFile } from '../../src/model/diagnostic.js';
import { reviewFolder } from '../../src/registry/contribute/publish/review-folder.js';

export interface SubmittedReview {
  readonly id: string;
  readonly publisher?: string;
  readonly findings?: readonly Pick<ContributionFinding, 'severity' | 'message' | 'file'>[];
  readonly decision?: ContributionVerdict['decision'];
}

/** Puts a package into the queue beside a registry, as its server does. Resolves to the SHA-256 of its archive. */
export async function submitReview(registry: string, review: SubmittedReview): Promise<string> {
  const { id, publisher = 'acme', decision = 'review' } = review;
  const { findings = [{ severity: 'review', message: 'a program runs at import', file: 'run.py' }] } = review;
  const archive = Buffer.from(`archive of ${id}`);
  const hash = sha256(archive);
  const verdict: ContributionVerdict = {
    ...{ rules: '1', decision, contentDigest: hash, files: 2, model: { status: 'not-checked' } },
    package: { format: 'patch', id, version: '1.0.0', tools: ['look', 'count'] },
    findings: findings.map((it) => ({
      ...{ code: 'contribute.code-bundle', stage: 'code', range: startOfFile },
      ...it,
    })),
  };
  const submittedAt = new Date(Date.UTC(2026, 10, 18, 9, 30)).toISOString();
  await reviewFolder(`${registry}.data`).submit({ sha256: hash, publisher, submittedAt, verdict }, archive);
  return hash;
}
