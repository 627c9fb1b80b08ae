const maxLine = 5000;
const minRenamed = 8;
const minEscapes = 64;

/** Why people cannot read a source file; undefined if they can. */
export function obscured(text: string): string | undefined {
  const renamed = text.match(/\b_0x[0-9a-f]{4,8}\b/g)?.length ?? 0;
  if (renamed >= minRenamed) return `its names are replaced by ${JSON.stringify('_0x…')}`;
  const escapes = text.match(/\\x[0-9a-fA-F]{2}|\\u00[0-9a-fA-F]{2}/g)?.length ?? 0;
  if (escapes >= minEscapes && escapes * 8 > text.length) return 'most of its text is written as escapes';
  const longest = text.split('\n').reduce((most, line) => Math.max(most, line.length), 0);
  return longest > maxLine ? `it has a line of ${longest.toLocaleString('en')} characters` : undefined;
}
