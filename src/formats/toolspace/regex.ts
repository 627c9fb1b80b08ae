import type { Json, JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import { isLinear } from '../regex.js';
import type { Report } from '../report.js';

/** Reports an expression that cannot be compiled, or that only a backtracking engine can run. */
export function checkRegex(report: Report, source: Json | undefined, path: JsonPath): void {
  if (typeof source !== 'string') return;
  const reason = compileError(source);
  if (reason !== undefined) {
    const message = `${nameOf(path)} ${show(source)} is no regular expression: ${reason}`;
    report.at('toolspace.regex', path, message, { hint: 'write it as ECMAScript does, without slashes' });
    return;
  }
  const feature =
    backtracking(source) ?? (isLinear(source) ? undefined : 'counts too large or a script property');
  if (feature === undefined) return;
  const message = `${nameOf(path)} has ${feature}, which a linear-time engine cannot run`;
  report.at('toolspace.regex-not-linear', path, message, {
    hint: 'write it without; until then it runs apart, with a deadline, and counts as no match when that passes',
  });
}

/** The plain grammar of ECMAScript is wider than the Unicode one and is tried second. */
function compileError(source: string): string | undefined {
  try {
    new RegExp(source, 'u');
    return undefined;
  } catch {
    try {
      new RegExp(source);
      return undefined;
    } catch (error) {
      const text = error instanceof Error ? error.message : '';
      return text.slice(text.lastIndexOf(': ') + 2).toLowerCase() || 'it does not compile';
    }
  }
}

function backtracking(source: string): string | undefined {
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const rest = source.slice(at, at + 4);
    if (rest.startsWith('\\')) {
      if (!inClass && /^\\(?:[1-9]|k<)/.test(rest)) return 'a back-reference';
      at++;
    } else if (inClass) inClass = !rest.startsWith(']');
    else if (rest.startsWith('[')) inClass = true;
    else if (/^\(\?<?[=!]/.test(rest)) return 'a look-around';
  }
  return undefined;
}
