/** Shannon entropy of the characters of a text, in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Dummy text that people write instead of a secret, even in the format of a key. */
const dummies =
  /x{5,}|\*{3,}|\.{3}|\byour[-_ ]|[-_]your[-_]|_here\b|redacted|placeholder|changeme|<[^>]*>|\$[{(A-Za-z_]|\{\{|%\(/i;
/** Sequences that do not occur in random keys. */
const sequences = /0{7,}|1{7,}|a{8,}|0123456789|abcdefghijklm/i;

/** Whether a text is a dummy instead of a secret: `xxxx`, `${TOKEN}`, `your-key-here`. */
export function isDummyValue(text: string): boolean {
  return dummies.test(text);
}

export function isSequence(text: string): boolean {
  return sequences.test(text);
}
