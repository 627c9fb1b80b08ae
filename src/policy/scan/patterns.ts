import type { TextSpan } from '../guardrails/text-span.js';
import { cloudRules } from './cloud-rules.js';
import { type DecodedView, decodedViews, toOriginal } from './decoded-view.js';
import { hasEncodedRun } from './encoded-runs.js';
import { entropyOf, isDummyValue, isSequence } from './entropy.js';
import { guessRules } from './guess-rules.js';
import { KeywordMatcher } from './keyword-matcher.js';
import { platformRules } from './platform-rules.js';
import { isPublishedSample } from './published-samples.js';
import type { ScanOptions } from './scan-options.js';
import type { SecretRule } from './secret-rule.js';
import { serviceRules } from './service-rules.js';

export interface PatternMatch extends TextSpan {
  /** Id of the rule. */
  readonly rule: string;
  /** The secret, decoded. */
  readonly text: string;
  /** Whether the text around it was the reason, not a format of its own. */
  readonly guess: boolean;
}

/** Everything that looks like a key, in a text and in its decoded views. The same key may be reported more than once. */
export function findPatterns(
  text: string,
  options: ScanOptions,
  views: readonly DecodedView[] = decodedViews(text),
): readonly PatternMatch[] {
  const matches: PatternMatch[] = [];
  for (const view of views)
    for (const match of findPatternsInText(view.text, options)) matches.push(toOriginal(match, view));
  return matches.length === 0 ? noMatches : matches;
}

const noMatches: readonly PatternMatch[] = [];
const rules: readonly SecretRule[] = [...cloudRules, ...serviceRules, ...platformRules, ...guessRules];
/** The names that placeholders can have. */
export const ruleNames: readonly string[] = [...new Set(rules.map((it) => it.id))];

/** By rule: its pattern with the flag y, to be tried at one offset. Compiled on demand: most are never needed. */
const stickyPatterns: (RegExp | undefined)[] = new Array(rules.length).fill(undefined);

function stickyPattern(index: number): RegExp {
  const { source, flags } = (rules[index] as SecretRule).pattern;
  const pattern = stickyPatterns[index] ?? new RegExp(source, flags.replace('g', 'y'));
  stickyPatterns[index] = pattern;
  return pattern;
}

let matcher: KeywordMatcher | undefined;

/** Built at the first search: not every process that loads this module searches. */
function keywordMatcher(): KeywordMatcher {
  // List i: where matches of rule i can begin. List rules.length + i: its keywords, where they differ from those.
  matcher ??= new KeywordMatcher([
    ...rules.map(({ prefixes, keywords }) => (prefixes === 'any' ? [] : (prefixes ?? keywords))),
    ...rules.map(({ prefixes, keywords }) => (prefixes === undefined ? [] : keywords)),
  ]);
  return matcher;
}

/** The rules that can match in a text, by its keywords. */
interface Candidates {
  /** Rules with a keyword in the text. */
  readonly rules: Set<number>;
  /** By rule: the offsets where a match can begin. */
  readonly offsets: Map<number, number[]>;
}

/** The same in one text, without decoding it. */
export function findPatternsInText(text: string, options: ScanOptions): readonly PatternMatch[] {
  if (text.length < 8) return noMatches;
  let candidates: Candidates | undefined;
  keywordMatcher().forEachMatch(text, (list, at) => {
    candidates ??= { rules: new Set(), offsets: new Map() };
    if (list >= rules.length) {
      candidates.rules.add(list - rules.length);
      return;
    }
    const known = candidates.offsets.get(list);
    if (known !== undefined) known.push(at);
    else {
      candidates.offsets.set(list, [at]);
      if (rules[list]?.prefixes === undefined) candidates.rules.add(list);
    }
  });
  if (candidates === undefined) return noMatches;
  const { rules: candidateRules, offsets } = candidates;
  const matches: PatternMatch[] = [];
  for (const index of [...candidateRules].sort((a, b) => a - b)) {
    const rule = rules[index] as SecretRule;
    if (rule.guess === true && !options.guesses) continue;
    if (rule.prefixes === 'any') matchAnywhere(rule, text, options, matches);
    else matchAtOffsets(rule, stickyPattern(index), text, offsets.get(index) ?? [], options, matches);
  }
  return matches;
}

function matchAtOffsets(
  rule: SecretRule,
  pattern: RegExp,
  text: string,
  offsets: number[],
  options: ScanOptions,
  matches: PatternMatch[],
): void {
  if (offsets.length > 1) offsets.sort((a, b) => a - b);
  let next = 0;
  for (const at of offsets) {
    if (at < next) continue;
    next = at + 1;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    next = at + match[0].length;
    addMatch(rule, match, options, matches);
  }
}

function matchAnywhere(rule: SecretRule, text: string, options: ScanOptions, matches: PatternMatch[]): void {
  const { contains, minRun, pattern } = rule;
  if (contains !== undefined && !text.includes(contains)) return;
  if (minRun !== undefined && !hasEncodedRun(text, minRun)) return;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    addMatch(rule, match, options, matches);
}

function addMatch(
  rule: SecretRule,
  match: RegExpExecArray,
  { reportSamples, sha256 }: ScanOptions,
  matches: PatternMatch[],
): void {
  const [whole] = match;
  let secret = whole;
  for (let group = 1; group < match.length; group++) {
    if (match[group] === undefined) continue;
    secret = match[group] as string;
    break;
  }
  const at = match.index + whole.lastIndexOf(secret);
  if (rule.trim !== undefined) secret = rule.trim(secret);
  if (
    isHarmless(rule, secret, nameBefore(match, at)) ||
    (!reportSamples && isPublishedSample(secret, sha256))
  )
    return;
  matches.push({
    start: at,
    end: at + secret.length,
    rule: rule.id,
    text: secret,
    guess: rule.guess === true,
  });
}

const maxNameLength = 64;

/** The name before a secret with its assignment. The pattern may begin in the middle of a name. */
export function nameBefore({ index, input }: RegExpExecArray, end: number): string {
  let start = index;
  while (start > 0 && index - start < maxNameLength && /[\w./-]/.test(input.charAt(start - 1))) start--;
  return input.slice(start, end);
}

function isHarmless({ entropy, check, guess, id }: SecretRule, secret: string, name: string): boolean {
  if (entropy !== undefined && entropyOf(secret) < entropy) return true;
  if (id !== 'private-key' && isDummyValue(secret)) return true;
  if (guess === true && isSequence(secret)) return true;
  return check !== undefined && !check(secret, name);
}
