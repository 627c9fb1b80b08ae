// The plain way, without any shortcut: what the quick one is compared with.
import { cloudRules } from '../../src/policy/scan/cloud-rules.js';
import { entropyOf, isSequence, isStandIn } from '../../src/policy/scan/entropy.js';
import { everydayRules } from '../../src/policy/scan/everyday-rules.js';
import { guessRules } from '../../src/policy/scan/guess-rules.js';
import type { Look } from '../../src/policy/scan/look.js';
import type { PatternHit } from '../../src/policy/scan/patterns.js';
import { isPublished } from '../../src/policy/scan/published.js';
import type { SecretRule } from '../../src/policy/scan/rule.js';
import { plainViews, type View } from './plain-view.js';

export const allRules = [...cloudRules, ...everydayRules, ...guessRules];

/** Every rule of which a keyword is there, over the whole text, in every view. */
export function plainPatterns(
  text: string,
  look: Look,
  views: readonly View[] = plainViews(text),
): PatternHit[] {
  return views.flatMap((view) => {
    if (view.text.length < 8) return [];
    const lower = view.text.toLowerCase();
    return allRules
      .filter((it) => it.keywords.some((word) => lower.includes(word)))
      .flatMap((it) => findRule(it, view.text, look))
      .map((hit) => {
        const { from, to } = view;
        if (from === null || to === null) return hit;
        return { ...hit, start: from[hit.start] as number, end: to[hit.end - 1] as number };
      });
  });
}

function findRule(rule: SecretRule, text: string, { sha256, guesses, samples }: Look): PatternHit[] {
  if (rule.guess === true && !guesses) return [];
  const found: PatternHit[] = [];
  for (const match of text.matchAll(rule.pattern)) {
    const secret = match.slice(1).find((it) => it !== undefined) ?? match[0];
    if (isHarmless(rule, secret) || (!samples && isPublished(secret, sha256))) continue;
    const start = match.index + match[0].lastIndexOf(secret);
    found.push({
      start,
      end: start + secret.length,
      rule: rule.id,
      text: secret,
      guess: rule.guess === true,
    });
  }
  return found;
}

function isHarmless({ entropy, check, guess, id }: SecretRule, secret: string): boolean {
  if (entropy !== undefined && entropyOf(secret) < entropy) return true;
  if (id !== 'private-key' && isStandIn(secret)) return true;
  if (guess === true && isSequence(secret)) return true;
  return check !== undefined && !check(secret);
}
