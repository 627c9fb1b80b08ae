/** The name of a tool beside the word tool. A name has a sign inside, or it would be a word. */
const named =
  /(?:\b(?:the|call|use|using|invoke|run|calling|invoking) )["'`]?([a-z][a-z0-9]{0,30}(?:[_.-][a-z0-9]{1,30}){1,4})["'`]?(?:\(\))? (?:tool|function)\b|\b(?:call|invoke|calling|invoking) ["'`]?([a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,4})\b/g;

/** Tools that a text speaks of and that the package does not have. */
export function otherTools(plain: string, ownTools: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const match of plain.matchAll(named)) {
    const name = (match[1] ?? match[2]) as string;
    if (!isOwn(name, ownTools)) found.add(name);
  }
  return [...found];
}

/** A package may name its tools with or without the prefix that the host gives them. */
function isOwn(name: string, ownTools: ReadonlySet<string>): boolean {
  const plain = plainName(name);
  for (const it of ownTools) if (plainName(it) === plain || plainName(it).endsWith(plain)) return true;
  return false;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}
