import type { Span } from '../guardrails/span.js';
import { cloudRules } from './cloud-rules.js';
import { entropyOf, isSequence, isStandIn } from './entropy.js';
import { everydayRules } from './everyday-rules.js';
import { guessRules } from './guess-rules.js';
import { Keywords } from './keywords.js';
import type { Look } from './look.js';
import { isPublished } from './published.js';
import type { SecretRule } from './rule.js';
import { type View, viewsOf } from './view.js';

export interface PatternHit extends Span {
  readonly rule: string;
  /** What was found, decoded. */
  readonly text: string;
  /** By what stands around it, not by a shape of its own. */
  readonly guess: boolean;
}

/** What looks like somebody's key, in a text and in what it hides. Never fewer than there are. */
export function findPatterns(text: string, look: Look, views: readonly View[] = viewsOf(text)): PatternHit[] {
  return views.flatMap((view) =>
    findIn(view.text, look).map((hit) => {
      const { from, to } = view;
      if (from === null || to === null) return hit;
      return { ...hit, start: from[hit.start] as number, end: to[hit.end - 1] as number };
    }),
  );
}

const rules = [...cloudRules, ...everydayRules, ...guessRules];
/** What stands in the placeholders. */
export const ruleNames: readonly string[] = [...new Set(rules.map((it) => it.id))];
const keywords = new Keywords(rules.map((it) => it.keywords));

function findIn(text: string, look: Look): PatternHit[] {
  if (text.length < 8) return [];
  return keywords.in(text).flatMap((index) => findRule(rules[index] as SecretRule, text, look));
}

function findRule(rule: SecretRule, text: string, { sha256, guesses }: Look): PatternHit[] {
  if (rule.guess === true && !guesses) return [];
  const found: PatternHit[] = [];
  for (const match of text.matchAll(rule.pattern)) {
    const secret = match.slice(1).find((it) => it !== undefined) ?? match[0];
    if (isHarmless(rule, secret) || isPublished(secret, sha256)) continue;
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
