/**
 * Whether the linear-time engine can run a regular expression that JavaScript accepts. It has no look-around, no
 * back-references, no script properties and no large counts. The engine itself is not asked, because loading it
 * costs more than checking a manifest; a pattern that it refuses all the same is refused when it is first used.
 */
export function isLinear(pattern: string): boolean {
  let inClass = false;
  let size = 1;
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
      if (count !== null) size *= Math.max(1, Number(count[1]), Number(count[2] || 0));
      if (size > 1000) return false;
    }
  }
  return true;
}
