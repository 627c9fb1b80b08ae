/** Phrases that are one word elsewhere, in their written form. */
const phrases = new Map(
  Object.entries({
    'pull request': 'pullrequest',
    'pull requests': 'pullrequest',
    pr: 'pullrequest',
    prs: 'pullrequest',
    'merge request': 'mergerequest',
    'merge requests': 'mergerequest',
    'to do': 'todo',
    'to dos': 'todo',
    'e mail': 'email',
    'e mails': 'email',
    'roll back': 'rollback',
    'rolls back': 'rollback',
    'on call': 'oncall',
    'look up': 'lookup',
    'shut down': 'shutdown',
    'turn off': 'off switch',
    'turn on': 'on switch',
    'switches off': 'off switch',
    'switches on': 'on switch',
    'set up': 'setup',
    'out of office': 'vacation responder away',
    'time off': 'vacation',
    'days off': 'vacation',
    'free busy': 'freebusy',
    'phone number': 'phone number contact',
    'web site': 'website',
    'web page': 'webpage page',
    'direct message': 'dm message',
    'log in': 'login',
    'sign in': 'login',
    'text message': 'sms message',
    'one time': 'onetime',
  }),
);
const phraseStarts = new Set([...phrases.keys()].map((it) => it.split(' ')[0] as string));
const longestPhrase = 3;

/** Replaces phrases by their one word. */
export function joinPhrases(written: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < written.length; ) {
    const isStart = phraseStarts.has(written[at] as string);
    let length = isStart ? Math.min(longestPhrase, written.length - at) : 0;
    let found: string | undefined;
    for (; length > 0; length--) {
      found = phrases.get(written.slice(at, at + length).join(' '));
      if (found !== undefined) break;
    }
    if (found === undefined) joined.push(written[at++] as string);
    else {
      joined.push(...found.split(' '));
      at += length;
    }
  }
  return joined;
}
