/** Characters that are easily confused, with the letter that they look like. */
const confusables: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '5': 's',
  '|': 'l',
  а: 'a',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'l',
  ӏ: 'l',
  ј: 'j',
  ո: 'n',
  о: 'o',
  р: 'p',
  ѕ: 's',
  υ: 'u',
  ν: 'v',
  х: 'x',
  у: 'y',
  α: 'a',
  ο: 'o',
  ρ: 'p',
  ι: 'l',
  κ: 'k',
  τ: 't',
};

/** Two names with the same key can be mistaken for each other. */
export function lookAlikeKey(name: string): string {
  // Upper-case i and lower-case L look the same; accents and separators are easily overlooked.
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/I/g, 'l')
    .toLowerCase()
    .replace(/[-_. ]+/g, '')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w');
  return [...plain].map((it) => confusables[it] ?? (it === 'i' ? 'l' : it)).join('');
}

/** By name: the other names that look like it. Names without a look-alike are left out. */
export function lookAlikes(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  for (const name of names) {
    const key = lookAlikeKey(name);
    const group = groups.get(key) ?? new Set();
    groups.set(key, group.add(name));
  }
  const found = new Map<string, readonly string[]>();
  for (const group of groups.values()) {
    if (group.size < 2) continue;
    for (const name of group)
      found.set(
        name,
        [...group].filter((it) => it !== name),
      );
  }
  return found;
}
