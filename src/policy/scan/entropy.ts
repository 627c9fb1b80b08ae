/** Bits that each character of a text carries, by how often characters occur in it. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** What people put where a secret would stand, even in the shape of a key. */
const standIns =
  /x{5,}|\*{3,}|\.{3}|\byour[-_ ]|[-_]your[-_]|_here\b|redacted|placeholder|changeme|<[^>]*>|\$[{(A-Za-z_]|\{\{|%\(/i;
/** What nobody would draw by lot. */
const sequences = /0{7,}|1{7,}|a{8,}|0123456789|abcdefghijklm/i;

/** Text that stands for a secret and is none: `xxxx`, `${TOKEN}`, `your-key-here`. */
export function isStandIn(text: string): boolean {
  return standIns.test(text);
}

export function isSequence(text: string): boolean {
  return sequences.test(text);
}
