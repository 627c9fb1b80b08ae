// Reference implementation without optimizations: the scanner must give the same results.
import { cloudRules } from '../../../../src/policy/scan/cloud-rules.js';
import { entropyOf, isDummyValue, isSequence } from '../../../../src/policy/scan/entropy.js';
import { guessRules } from '../../../../src/policy/scan/guess-rules.js';
import type { PatternMatch } from '../../../../src/policy/scan/patterns.js';
import { platformRules } from '../../../../src/policy/scan/platform-rules.js';
import { isPublishedSample } from '../../../../src/policy/scan/published-samples.js';
import type { ScanOptions } from '../../../../src/policy/scan/scan-options.js';
import type { SecretRule } from '../../../../src/policy/scan/secret-rule.js';
import { serviceRules } from '../../../../src/policy/scan/service-rules.js';
import { type ReferenceView, referenceViews } from './reference-decoded-view.js';

export const allRules = [...cloudRules, ...serviceRules, ...platformRules, ...guessRules];

/** Tries every rule with a keyword in the text, over the whole text, in every view. */
export function referencePatterns(
  text: string,
  options: ScanOptions,
  views: readonly ReferenceView[] = referenceViews(text),
): PatternMatch[] {
  return views.flatMap((view) => {
    if (view.text.length < 8) return [];
    const lower = view.text.toLowerCase();
    return allRules
      .filter((it) => it.keywords.some((keyword) => lower.includes(keyword)))
      .flatMap((it) => findRule(it, view.text, options))
      .map((match) => {
        const { from, to } = view;
        if (from === null || to === null) return match;
        return { ...match, start: from[match.start] as number, end: to[match.end - 1] as number };
      });
  });
}

function findRule(
  rule: SecretRule,
  text: string,
  { sha256, guesses, reportSamples }: ScanOptions,
): PatternMatch[] {
  if (rule.guess === true && !guesses) return [];
  const matches: PatternMatch[] = [];
  for (const match of text.matchAll(rule.pattern)) {
    const whole = match.slice(1).find((it) => it !== undefined) ?? match[0];
    const start = match.index + match[0].lastIndexOf(whole);
    const secret = rule.trim?.(whole) ?? whole;
    const name = /[\w./-]{0,64}$/.exec(text.slice(0, match.index))?.[0] ?? '';
    if (
      isHarmless(rule, secret, name + text.slice(match.index, start)) ||
      (!reportSamples && isPublishedSample(secret, sha256))
    )
      continue;
    matches.push({
      start,
      end: start + secret.length,
      rule: rule.id,
      text: secret,
      guess: rule.guess === true,
    });
  }
  return matches;
}

function isHarmless({ entropy, check, guess, id }: SecretRule, secret: string, name: string): boolean {
  if (entropy !== undefined && entropyOf(secret) < entropy) return true;
  if (id !== 'private-key' && isDummyValue(secret)) return true;
  if (guess === true && isSequence(secret)) return true;
  return check !== undefined && !check(secret, name);
}
