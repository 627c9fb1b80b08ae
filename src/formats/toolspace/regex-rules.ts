import type { Json, JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import { isLinearRegex } from '../linear-regex.js';
import type { ToolspaceReport } from './codes.js';

/** Reports an expression that does not compile, or that the linear-time engine does not support. */
export function checkRegex(report: ToolspaceReport, source: Json | undefined, path: JsonPath): void {
  if (typeof source !== 'string') return;
  const reason = compileError(source);
  if (reason !== undefined) {
    const message = `${pathName(path)} ${show(source)} is not a valid regular expression: ${reason}`;
    report.at('toolspace.regex', path, message, { hint: 'use JavaScript syntax, without the slashes' });
    return;
  }
  const feature =
    backtrackingFeature(source) ??
    (isLinearRegex(source) ? undefined : 'a count that is too large, or a script property');
  if (feature === undefined) return;
  const message = `${pathName(path)} has ${feature}, which the linear-time engine does not support`;
  report.at('toolspace.regex-not-linear', path, message, {
    hint: 'rewrite it without; as written, the host cannot check a value against it and rejects every value',
  });
}

/** Tries the Unicode grammar first, then the older grammar, which accepts more. */
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

function backtrackingFeature(source: string): string | undefined {
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
