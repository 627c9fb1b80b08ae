import { HostError } from '../../model/host-error.js';

/** Shorter prefixes are too ambiguous. */
const minLength = 6;

/** The only id that starts with what was written; without one, what was written. Fails if there are several. */
export function expandId(written: string, prefix: string, ids: readonly string[]): string {
  const start = written.replace(/…$/, '');
  if (!start.startsWith(prefix) || start.length < prefix.length + minLength) return written;
  const matches = ids.filter((it) => it.startsWith(start));
  if (matches.length > 1)
    throw new HostError('usage', `${matches.length} ids start with ${start}`, {
      hint: `write more characters: ${matches.slice(0, 5).join(', ')}`,
    });
  return matches[0] ?? written;
}
