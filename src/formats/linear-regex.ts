/**
 * Whether the linear-time engine supports a regular expression that JavaScript accepts. The engine has no look-around,
 * back-references, script properties or large repetition counts. It is not loaded here, because that costs more than
 * checking a manifest. A pattern that passes here and still fails in the engine is rejected on first use.
 */
export function isLinearRegex(pattern: string): boolean {
  let inClass = false;
  let repetitions = 1;
  for (let at = 0; at < pattern.length; at++) {
    const rest = pattern.slice(at, at + 24);
    if (rest.startsWith('\\')) {
      if (!inClass && /^\\(?:[1-9]|k<)/.test(rest)) return false;
      if (/^\\[pP]\{[^}]*=/.test(rest)) return false;
      at++;
    } else if (inClass) {
      inClass = !rest.startsWith(']');
    } else if (rest.startsWith('[')) {
      inClass = true;
    } else if (/^\(\?<?[=!]/.test(rest)) {
      return false;
    } else {
      const count = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
      if (count !== null) repetitions *= Math.max(1, Number(count[1]), Number(count[2] || 0));
      if (repetitions > 1000) return false;
    }
  }
  return true;
}
