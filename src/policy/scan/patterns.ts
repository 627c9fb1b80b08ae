import type { Span } from '../guardrails/span.js';
import { cloudRules } from './cloud-rules.js';
import { entropyOf, isSequence, isStandIn } from './entropy.js';
import { everydayRules } from './everyday-rules.js';
import { guessRules } from './guess-rules.js';
import { Keywords } from './keywords.js';
import type { Look } from './look.js';
import { isPublished } from './published.js';
import type { SecretRule } from './rule.js';
import { hasRun } from './survey.js';
import { original, type View, viewsOf } from './view.js';

export interface PatternHit extends Span {
  readonly rule: string;
  /** What was found, decoded. */
  readonly text: string;
  /** By what stands around it, not by a shape of its own. */
  readonly guess: boolean;
}

/** What looks like somebody's key, in a text and in what it hides. Never fewer than there are. */
export function findPatterns(
  text: string,
  look: Look,
  views: readonly View[] = viewsOf(text),
): readonly PatternHit[] {
  const all: PatternHit[] = [];
  for (const view of views) for (const hit of findIn(view.text, look)) all.push(original(hit, view));
  return all.length === 0 ? none : all;
}

const none: readonly PatternHit[] = [];
const rules: readonly SecretRule[] = [...cloudRules, ...everydayRules, ...guessRules];
/** What stands in the placeholders. */
export const ruleNames: readonly string[] = [...new Set(rules.map((it) => it.id))];

/** By rule: its pattern, to be tried at one place. Most are never needed. */
const sticky: (RegExp | undefined)[] = new Array(rules.length).fill(undefined);

function stickyOf(index: number): RegExp {
  const { source, flags } = (rules[index] as SecretRule).pattern;
  const made = sticky[index] ?? new RegExp(source, flags.replace('g', 'y'));
  sticky[index] = made;
  return made;
}

let keywords: Keywords | undefined;

/** Made when something is looked for: not everybody who loads this does. */
function keywordsOfAll(): Keywords {
  // First what matches begin with, then keywords of the rules that this does not say everything of.
  keywords ??= new Keywords([
    ...rules.map(({ begins, keywords: words }) => (begins === 'anything' ? [] : (begins ?? words))),
    ...rules.map(({ begins, keywords: words }) => (begins === undefined ? [] : words)),
  ]);
  return keywords;
}

/** What the keywords in a text say of the rules. */
interface Hints {
  /** Of which rules there is a keyword. */
  readonly wanted: Set<number>;
  /** By rule: where it may begin. */
  readonly places: Map<number, number[]>;
}

export function findIn(text: string, look: Look): readonly PatternHit[] {
  if (text.length < 8) return none;
  let hints: Hints | undefined;
  keywordsOfAll().in(text, (list, at) => {
    hints ??= { wanted: new Set(), places: new Map() };
    if (list >= rules.length) {
      hints.wanted.add(list - rules.length);
      return;
    }
    const known = hints.places.get(list);
    if (known !== undefined) known.push(at);
    else {
      hints.places.set(list, [at]);
      if (rules[list]?.begins === undefined) hints.wanted.add(list);
    }
  });
  if (hints === undefined) return none;
  const { wanted, places } = hints;
  const found: PatternHit[] = [];
  for (const index of [...wanted].sort((a, b) => a - b)) {
    const rule = rules[index] as SecretRule;
    if (rule.guess === true && !look.guesses) continue;
    if (rule.begins === 'anything') findAnywhere(rule, text, look, found);
    else findAt(rule, stickyOf(index), text, places.get(index) ?? [], look, found);
  }
  return found;
}

function findAt(
  rule: SecretRule,
  pattern: RegExp,
  text: string,
  places: number[],
  look: Look,
  found: PatternHit[],
): void {
  if (places.length > 1) places.sort((a, b) => a - b);
  let next = 0;
  for (const at of places) {
    if (at < next) continue;
    next = at + 1;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    next = at + match[0].length;
    take(rule, match, look, found);
  }
}

function findAnywhere(rule: SecretRule, text: string, look: Look, found: PatternHit[]): void {
  const { needs, run, pattern } = rule;
  if (needs !== undefined && !text.includes(needs)) return;
  if (run !== undefined && !hasRun(text, run)) return;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    take(rule, match, look, found);
}

function take(
  rule: SecretRule,
  match: RegExpExecArray,
  { samples, sha256 }: Look,
  found: PatternHit[],
): void {
  const [whole] = match;
  let secret = whole;
  for (let group = 1; group < match.length; group++) {
    if (match[group] === undefined) continue;
    secret = match[group] as string;
    break;
  }
  if (isHarmless(rule, secret) || (!samples && isPublished(secret, sha256))) return;
  const start = match.index + whole.lastIndexOf(secret);
  found.push({ start, end: start + secret.length, rule: rule.id, text: secret, guess: rule.guess === true });
}

function isHarmless({ entropy, check, guess, id }: SecretRule, secret: string): boolean {
  if (entropy !== undefined && entropyOf(secret) < entropy) return true;
  if (id !== 'private-key' && isStandIn(secret)) return true;
  if (guess === true && isSequence(secret)) return true;
  return check !== undefined && !check(secret);
}
