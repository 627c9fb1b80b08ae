/** Counts open brackets, also in strings and comments. Real code stays far below the limit. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x28 || unit === 0x5b || unit === 0x7b) {
      if (++depth > 1000) return true;
    } else if ((unit === 0x29 || unit === 0x5d || unit === 0x7d) && depth > 0) depth--;
  }
  return false;
}
