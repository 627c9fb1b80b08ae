/** One key pattern: how to recognize the keys of one provider, or a likely secret. */
export interface SecretRule {
  /** Name of the pattern; shown in placeholders and in the audit log. */
  readonly id: string;
  /** In lower case. The rule is tried only in texts that contain one of them. */
  readonly keywords: readonly string[];
  /** Every match begins with one of these (lower case), so only their offsets are tried. Default: the keywords. */
  readonly prefixes?: readonly string[] | 'any';
  /** Every match contains this many characters of base64 in a row. */
  readonly minRun?: number;
  /** Every match contains this text. */
  readonly contains?: string;
  /**
   * With the flag g. The first group that matched is the secret; without groups, the whole match is. Runs in linear time:
   * only literals and bounded runs of one character class.
   */
  readonly pattern: RegExp;
  /** Minimum entropy in bits per character. Text that people write by hand has less. */
  readonly entropy?: number;
  /** Cuts characters from the end of the secret that belong to the text around it. */
  readonly trim?: (secret: string) => string;
  /** A further condition on the secret. `name`: the text before it, such as `"api_key": "`. */
  readonly check?: (secret: string, name: string) => boolean;
  /** True: not the format of a provider, but a guess from the text around it. */
  readonly guess?: boolean;
}

/** A rule for keys with a fixed prefix, which is the keyword and the start of the pattern. */
export function prefixRule(id: string, prefix: string, rest: string, entropy = 3): SecretRule {
  const literal = prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    id,
    keywords: [prefix.toLowerCase()],
    pattern: new RegExp(`(?<![A-Za-z0-9_]|\\w\\.)${literal}${rest}(?![A-Za-z0-9])`, 'g'),
    // The full stop of a sentence.
    trim: (it) => it.replace(/\.$/, ''),
    entropy,
  };
}
