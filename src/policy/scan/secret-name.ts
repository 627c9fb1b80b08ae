// Judges the name in front of a value, such as `api_token` or `trello_board_id`, word by word.

/** `strong`: the name ends in a key word. `weak`: it contains one. `none`: nothing in it speaks for a secret. */
export type NameEvidence = 'strong' | 'weak' | 'none';

const kinds =
  'access|account|admin|api|app|auth|client|consumer|crypto|data|db|deploy|encryption|license|master|private|root|secret|service|session|shared|signing|ssh|storage|webhook';
/** A whole word or the end of one that was written without separators, such as `authtoken`. */
const keyWord = new RegExp(
  `(?:token|secret|secrets|passw(?:or)?d|passphrase|passcode|pwd|credentials?|creds|(?:${kinds})keys?)$|^pat$`,
);
const kindWord = new RegExp(`^(?:${kinds})$`);
/** At the end of a name these speak for a secret, together with a random value that is not an identifier. */
const hintWord = /^auth(?:entication|orization)?$|^bearer$/;
/** Keys of other things: `project_key`, `flag_key`. */
const otherKey =
  /^(?:project|flag|repo|repository|space|issue|team|board|primary|foreign|partition|sort|shard|range|hash|object|cache|routing|message|row|record|item|i18n|translation|locale|map|verify|translation|lookup|group|metric|label|config|setting|user|site|tenant|metadata|idempotency|dedup(?:e|lication)?|param(?:eter)?|output|feature|environment|context|segment|storage_?class)$/;
/** Words after the key word that do not change its meaning: `api_key_prod`, `secret_key_base`. */
const qualifier =
  /^(?:\d+|v\d+|b64|base|base64|hex|env|prod|production|stag(?:e|ing)|dev|development|test|testing|live|sandbox|local|old|new|next|current|default|primary|secondary|main|backup|value|string|str|text|raw|plain|plaintext|header|data)$/;
/** Names that end so say something about a secret, or about another thing. */
const publicEnd =
  /^(?:ids?|kid|jti|sub|aud|iss|sid|gid|u?uids?|guids?|addr(?:ess(?:es)?)?|checksums?|urls?|uris?|hrefs?|links?|names?|counts?|at|on|in|by|for|types?|kinds?|class|status|states?|versions?|revisions?|lengths?|sizes?|bits|chars|expir(?:y|es|ed|ation)|ttl|ages?|dates?|times?|timestamps?|seconds|ms|files?|filename|paths?|dirs?|folders?|arns?|refs?|references?|labels?|tags?|alg(?:o|orithm)s?|methods?|modes?|schemes?|scopes?|formats?|prefix(?:es)?|suffix(?:es)?|providers?|issuers?|endpoints?|hosts?|hostname|ports?|domains?|users?|usernames?|emails?|enabled|disabled|required|rotated|polic(?:y|ies)|roles?|groups?|regions?|numbers?|index|levels?|limits?|quotas?|usage|used|total|symbols?|decimals?|hints?|descriptions?|notes?|comments?|titles?|owners?|creators?|authors?|accessors?|rings?|stores?|managers?|servers?|services?|workers?|agents?|prox(?:y|ies)|jobs?|queues?|logs?|gateways?|handlers?|buckets?|contracts?|holders?|tables?|columns?|fields?|schemas?|rules?|events?|requests?|sources?|targets?|digests?|fingerprints?|thumbprints?|sha\d*|md5|etag|nonce|salt|image|package|module|namespace|cluster|zone|project|plan|tier|locations?|pages?|cursors?|offsets?|pairs?)$/;
/** A name with one of these, anywhere, belongs to something that everybody may see. */
const publicWord =
  /^(?:public|pub|publishable|checksums?|digests?|fingerprints?|thumbprints?|sha1|sha256|sha512|md5|crc32|chksum|erc20|nft)$/;
/** Tokens that point to a place in a list, or protect a form: not credentials. */
const harmlessToken =
  /^(?:next|prev(?:ious)?|page|paging|pagination|sync|continuation|continue|cursor|resume|change|changes|delta|start|skip|sequence|last|list|offset|csrf|xsrf|idempotency|client_?request|forward|backward|version|concurrency|design|syntax|lexer|parser|stop|eos|bos|pad|unk|mask|special|base|quote|native|governance|utility|wrapped|reward|pool)$/;

/** The words of a name in lower case: `oktaUserID`, `okta_user_id` and `okta user id` have the same ones. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((it) => it !== '')
    .map((it) => it.toLowerCase());
}

/** `isKey`: whether a plain `key` or `login` counts too, because the name says whose key it is. */
export function nameEvidence(name: string, isKey = false): NameEvidence {
  const words = wordsOfName(name);
  if (words.some((it) => publicWord.test(it))) return 'none';
  let end = words.length;
  while (end > 1 && qualifier.test(words[end - 1] as string)) end--;
  const last = words[end - 1] ?? '';
  if (publicEnd.test(last)) return 'none';
  let evidence: NameEvidence = 'none';
  for (let index = 0; index < end; index++) {
    const word = words[index] as string;
    const before = words[index - 1] ?? '';
    const isLast = index === end - 1;
    if (/^tokens?$/.test(word) && (harmlessToken.test(before) || harmlessToken.test(words[index - 2] ?? '')))
      continue;
    const isStrong =
      (keyWord.test(word) && !harmlessToken.test(word.replace(/token$/, ''))) ||
      (/^keys?$/.test(word) && !otherKey.test(before) && (isKey || kindWord.test(before))) ||
      (word === 'login' && isKey);
    // A client token is an idempotency token in some interfaces, and a credential in others.
    if (isStrong && isLast) return before === 'client' && word === 'token' ? 'weak' : 'strong';
    if (isStrong || (isLast && (hintWord.test(word) || (isKey && /^(?:api|access)$/.test(word)))))
      evidence = 'weak';
  }
  return evidence;
}
