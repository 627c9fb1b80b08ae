/** One shape that secrets have. */
export interface SecretRule {
  readonly id: string;
  /** In lower case; without one of them in the text the rule is not tried. */
  readonly keywords: readonly string[];
  /** What every match begins with, in lower case: nothing is tried elsewhere. The keywords, unless told. */
  readonly begins?: readonly string[] | 'anything';
  /** Characters of base64 in a row that every match has. */
  readonly run?: number;
  /** What every match has besides. */
  readonly needs?: string;
  /** Global. Its first group, where it has one, is what is taken out. Linear: literals and bounded runs of one class. */
  readonly pattern: RegExp;
  /** Least bits a character; what people write by hand has fewer. */
  readonly entropy?: number;
  /** What else must be true of what was found. */
  readonly check?: (found: string) => boolean;
  /** Not the shape of one provider's keys: a guess from what stands around it. */
  readonly guess?: boolean;
}

/** A key that begins with letters of its own: they are keyword and pattern in one. */
export function prefixed(id: string, prefix: string, rest: string, entropy = 3): SecretRule {
  const literal = prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    id,
    keywords: [prefix.toLowerCase()],
    pattern: new RegExp(`(?<![A-Za-z0-9_]|\\w\\.)${literal}${rest}(?![A-Za-z0-9])`, 'g'),
    entropy,
  };
}
