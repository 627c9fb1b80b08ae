import { RE2JS } from 're2js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json } from '../../model/json.js';
import { linearPattern } from '../linear-pattern.js';
import { isAscii } from '../scan/encoded-runs.js';

/** Patterns that make a call fail, compiled once. RE2 runs in linear time for every pattern. */
export interface DenyPatterns {
  /** The first pattern that matches the value; undefined when none does. */
  firstMatch(value: Json): string | undefined;
}

/** Throws for a pattern that is not supported: the tool must not run without it. */
export function compileDenyPatterns(patterns: readonly string[]): DenyPatterns {
  const compiled = patterns.map((pattern) => ({ pattern, regex: compile(pattern) }));
  return {
    firstMatch(value) {
      if (compiled.length === 0) return undefined;
      const texts = [...textsOf(value)];
      return compiled.find(({ regex }) => texts.some((it) => regex.matcher(it).find()))?.pattern;
    },
  };
}

/** The same for a single text. */
export function firstDenyMatch(patterns: readonly string[], text: string): string | undefined {
  return compileDenyPatterns(patterns).firstMatch(text);
}

function compile(pattern: string): RE2JS {
  try {
    return linearPattern(pattern, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new HostError('not_supported', `the deny pattern ${JSON.stringify(pattern)} cannot be enforced`, {
      cause: error,
      hint: 'look-around and back-references in patterns are not supported',
    });
  }
}

/**
 * The input as JSON, and each of its texts on its own, because JSON escapes could hide a match. Texts with full-width or
 * invisible characters are added in their normalized form too.
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
