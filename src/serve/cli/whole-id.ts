import { HostError } from '../../model/host-error.js';

/** Fewer say too little to be meant. */
const fewest = 6;

/** The id that begins as somebody wrote it, where only one does; else what was written. */
export function wholeId(written: string, prefix: string, ids: readonly string[]): string {
  const begun = written.replace(/…$/, '');
  if (!begun.startsWith(prefix) || begun.length < prefix.length + fewest) return written;
  const meant = ids.filter((it) => it.startsWith(begun));
  if (meant.length > 1)
    throw new HostError('usage', `${meant.length} ids begin with ${begun}`, {
      hint: `write more of it: ${meant.slice(0, 5).join(', ')}`,
    });
  return meant[0] ?? written;
}
