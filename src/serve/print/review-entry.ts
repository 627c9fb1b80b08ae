import type { ReviewEntry } from '../../model/review-queue.js';
import { printVerdict } from './contribution.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';

/** One line about a package in the queue. */
export function reviewLine({ id, publisher, verdict: { package: pkg } }: ReviewEntry): string {
  return `${id} ${pkg === null ? 'a package' : `${pkg.id} ${pkg.version} (${pkg.format})`} from ${publisher}`;
}

/** What a person needs to decide about it. */
export function printReviewEntry(entry: ReviewEntry, style: Style, columns: number): string {
  const { review, verdict, sha256, submittedAt } = entry;
  const display = (path: string) => path;
  const findings = printVerdict(
    verdict,
    { display, manifest: verdict.package?.id ?? entry.id },
    { style, columns, source: () => undefined, isQuiet: false },
  );
  const decided =
    review === undefined
      ? ''
      : `${review.decision} by ${review.reviewer} at ${review.at}${review.note === undefined ? '' : `: ${review.note}`}`;
  const lines = [
    style.bold(visibleLine(reviewLine(entry))),
    `sha256 ${sha256}, submitted ${submittedAt}`,
    ...(decided === '' ? [] : [visibleLine(decided)]),
  ];
  return `${lines.join('\n')}\n${findings}`;
}
