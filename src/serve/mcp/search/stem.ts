/** Irregular forms, and nouns whose verb says the same. */
const irregular = new Map(
  Object.entries({
    payment: 'pay',
    paid: 'pay',
    deployment: 'deploy',
    shipment: 'ship',
    assignment: 'assign',
    measurement: 'measur',
    announcement: 'announc',
    booking: 'book',
    sent: 'send',
    bought: 'buy',
    sold: 'sell',
    wrote: 'writ',
    written: 'writ',
    ran: 'run',
    made: 'mak',
    found: 'find',
    built: 'build',
    spent: 'spend',
    said: 'say',
    taken: 'tak',
    shown: 'show',
    slept: 'sleep',
    people: 'person',
    children: 'child',
    indices: 'index',
    analyses: 'analyz',
    analysis: 'analyz',
    analyse: 'analyz',
    news: 'news',
    aws: 'aws',
    dns: 'dns',
  }),
);

/** A light stemmer for English: plurals, `-ing`, `-ed`, `-ation`. A stem is only a key; it need not be a word. */
export function stem(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ied')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith('ed') && !word.endsWith('eed')) return undouble(word.slice(0, -2));
  if (word.length > 4 && /(?:ss|x|z|ch|sh)es$/.test(word)) return withoutIon(word.slice(0, -2));
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word))
    return withoutIon(word.slice(0, -1));
  return withoutIon(word);
}

function undouble(word: string): string {
  return /([bdfgmnprt])\1$/.test(word) ? word.slice(0, -1) : withoutE(word);
}

/** Gives `translate` and `translation` the same stem. Short words such as `station` stay. */
function withoutIon(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  return word.length > 7 && /[st]ion$/.test(word) ? word.slice(0, -3) : withoutE(word);
}

/** Gives `create`, `creating` and `created` the same stem, and `summarise` that of `summarize`. */
function withoutE(word: string): string {
  const short = word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
  return short.length > 5 && short.endsWith('is') ? `${short.slice(0, -1)}z` : short;
}
