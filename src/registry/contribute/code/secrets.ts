import { sha256Bytes } from '../../../files/sha256.js';
import { SourceText } from '../../../formats/document/source-text.js';
import type { ContributionFinding } from '../../../model/contribution.js';
import { findPatterns } from '../../../policy/scan/patterns.js';
import { contributionFinding } from '../contribution-findings.js';
import type { PackageFile } from '../package-files.js';

const options = { guesses: true, reportSamples: false, sha256: sha256Bytes };
const partSize = 64 * 1024;
const partOverlap = 8 * 1024;

/** Keys in a file. A finding names the place and the kind of the key, never the key. */
export function secretsIn({ path }: PackageFile, text: string): ContributionFinding[] {
  const source = new SourceText(text);
  const found = new Map<string, ContributionFinding>();
  for (let at = 0; at === 0 || at < text.length; at += partSize) {
    for (const match of findPatterns(text.slice(at, at + partSize + partOverlap), options)) {
      const range = source.range(at + match.start, at + match.end);
      const code = match.guess ? 'contribute.likely-secret' : 'contribute.secret';
      const message = match.guess
        ? `this looks like a secret (${match.rule})`
        : `this is a secret (${match.rule})`;
      const hint = 'remove it, and replace it where it is in use: it was in a file that others can get';
      found.set(
        `${code} ${range.line}:${range.column}`,
        contributionFinding(code, { file: path, range }, message, hint),
      );
    }
  }
  return [...found.values()];
}
