/** Letters and digits that are easily taken for one another, as what they are taken for. */
const alike: Readonly<Record<string, string>> = {
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

/** What a name looks like at a glance: two names with the same one can be mistaken for each other. */
export function lookOf(name: string): string {
  // A capital i and a small L are the same stroke; marks over letters and signs between words are overlooked.
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/I/g, 'l')
    .toLowerCase()
    .replace(/[-_. ]+/g, '')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w');
  return [...plain].map((it) => alike[it] ?? (it === 'i' ? 'l' : it)).join('');
}

/** For each of the names, the others that look like it. */
export function lookAlikes(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  for (const name of names) {
    const look = lookOf(name);
    const group = groups.get(look) ?? new Set();
    groups.set(look, group.add(name));
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
