import { RE2JS } from 're2js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json } from '../../model/json.js';
import { isAscii } from '../scan/survey.js';

/** Patterns that refuse a call, compiled once. The engine takes time in proportion to the text, whatever the pattern. */
export interface DenyRules {
  /** The first pattern that the value hits; undefined when none does. */
  hit(value: Json): string | undefined;
}

/** A pattern that cannot be enforced is no reason to go without it: then the tool is not run. */
export function denyRules(patterns: readonly string[]): DenyRules {
  const compiled = patterns.map((pattern) => ({ pattern, engine: compile(pattern) }));
  return {
    hit(value) {
      if (compiled.length === 0) return undefined;
      const texts = [...textsOf(value)];
      return compiled.find(({ engine }) => texts.some((it) => engine.matcher(it).find()))?.pattern;
    },
  };
}

/** The pattern that a text hits, for a single use. */
export function denied(patterns: readonly string[], text: string): string | undefined {
  return denyRules(patterns).hit(text);
}

/** Rules of a session are asked for again with each call. */
const known = new Map<string, RE2JS>();
const mostKnown = 256;

function compile(pattern: string): RE2JS {
  const before = known.get(pattern);
  if (before !== undefined) return before;
  try {
    const engine = RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.CASE_INSENSITIVE);
    if (known.size >= mostKnown) known.clear();
    known.set(pattern, engine);
    return engine;
  } catch (error) {
    throw new HostError('not_supported', `the deny pattern ${JSON.stringify(pattern)} cannot be enforced`, {
      cause: error,
      hint: 'look-around and back-references in patterns are not supported',
    });
  }
}

/**
 * The input written as JSON, and each of its texts by itself: escapes of JSON must hide nothing. Texts that look like
 * others (full-width letters, invisible characters in between) are judged as what they look like too.
 */
function textsOf(value: Json): Set<string> {
  const texts = new Set<string>();
  const add = (text: string) => {
    texts.add(text);
    if (!isAscii(text)) texts.add(text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
  };
  const visit = (it: Json) => {
    if (typeof it === 'string') add(it);
    else if (Array.isArray(it)) for (const item of it) visit(item);
    else if (isObject(it)) {
      for (const [key, member] of Object.entries(it)) {
        add(key);
        visit(member);
      }
    } else texts.add(String(it));
  };
  visit(value);
  if (typeof value !== 'string') add(canonicalJson(value));
  return texts;
}
