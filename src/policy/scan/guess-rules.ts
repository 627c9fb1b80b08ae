// Guesses: secrets without a format of their own, recognized by the text around them.
import { entropyOf, isDummyValue } from './entropy.js';
import { nameEvidence } from './secret-name.js';
import type { SecretRule } from './secret-rule.js';

const assignment = String.raw`["'\x60\]]{0,2}\s{0,5}(?:=>|:{1,3}=|\?=|\|\||[=:,>])\s{0,5}`;
const quote = String.raw`["'\x60]{0,3}`;

/** Where the name of a secret can begin: a first filter, the whole name is judged by its words. */
const secretNames = [
  'auth(?!or(?!i))|credential|creds|passw(?:or)?d|passphrase|passcode|pwd|secret|bearer|token',
  '(?:access|account|admin|api|app|auth|client|consumer|crypto|data|db|deploy|encryption|license|master|private|root|secret|service|session|shared|signing|ssh|storage|webhook)[_.-]?key',
].join('|');

/** Providers whose keys have no recognizable format. The name alone proves nothing: a key word must follow. */
const vendors = [
  'adafruit|adobe|airtable|algolia|asana|atlassian|beamer|bitbucket|bittrex|cloudflare|codecov|cohere|coinbase',
  'confluent|contentful|datadog|dd_|discord|drone(?:ci)?|droneci|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr',
  'freshbooks|gitter|gocardless|heroku|hubspot|intercom|jfrog|artifactory|jira|kraken|kucoin|launchdarkly|linkedin',
  'looker|mailchimp|mailgun|mapbox|mattermost|messagebird|netlify|newrelic|new-relic|nytimes|okta|openai|plaid',
  'privateai|rapidapi|sendbird|sentry|sidekiq|snyk|sonar(?:qube)?[_.-]?(?:login|token)|sourcegraph|square|squarespace',
  'sumo(?:logic)?[_.-]?(?:access|key|id|token)|travis|trello|twitch|twitter|typeform|yandex|zendesk',
].join('|');

export const guessRules: readonly SecretRule[] = [
  {
    id: 'vendor-key',
    guess: true,
    keywords: vendors.replace(/\([^)]*\)\??|\[[^\]]*\]\??/g, '').split('|'),
    pattern: new RegExp(
      `(?<![A-Za-z])(?:${vendors})[\\w .-]{0,32}${assignment}${quote}([A-Za-z0-9_=-]{14,128})(?![\\w=.(-])`,
      'gi',
    ),
    entropy: 3,
    check: (it, name) => {
      const evidence = nameEvidence(name, true);
      if (evidence === 'none' || !/\d/.test(it) || !/[A-Za-z]/.test(it)) return false;
      return isIdentifier(it) ? evidence === 'strong' : looksRandom(it);
    },
  },
  {
    id: 'sumologic-access-id',
    guess: true,
    keywords: ['sumo'],
    pattern: new RegExp(
      `sumo(?:logic)?[_.-]?access[_.-]?id${assignment}${quote}(su[A-Za-z0-9]{12})(?![A-Za-z0-9])`,
      'gi',
    ),
    entropy: 3,
  },
  {
    id: 'assigned-secret',
    guess: true,
    keywords: [
      'access',
      'auth',
      'api',
      'bearer',
      'cred',
      'key',
      'passw',
      'passphrase',
      'passcode',
      'pwd',
      'secret',
      'token',
    ],
    prefixes: [
      ...[
        'auth',
        'cred',
        'passw',
        'passphrase',
        'passcode',
        'pwd',
        'secret',
        'bearer',
        'token',
        'access',
        'account',
      ],
      ...[
        'admin',
        'api',
        'app',
        'client',
        'consumer',
        'crypto',
        'data',
        'db',
        'deploy',
        'encryption',
        'license',
      ],
      ...[
        'master',
        'private',
        'root',
        'service',
        'session',
        'shared',
        'signing',
        'ssh',
        'storage',
        'webhook',
      ],
    ],
    pattern: new RegExp(
      `(?:${secretNames})[\\w.-]{0,20}${assignment}${quote}([\\w.=+/~!@#$%^&*-]{10,150})(?![\\w=+/(])`,
      'gi',
    ),
    trim: trimValue,
    check: (it, name) => {
      const evidence = nameEvidence(name);
      if (evidence === 'none' || (evidence === 'weak' && isIdentifier(it))) return false;
      // Addresses and storage keys of a block chain.
      if (/^0x[0-9a-f]+$/i.test(it) && !/private|secret|signing|wallet/i.test(name)) return false;
      return looksRandom(it);
    },
  },
  {
    id: 'authorization-header',
    guess: true,
    keywords: ['authorization', 'api-key', 'apikey', 'api-token', 'x-auth', 'access-token'],
    prefixes: ['proxy-', 'authorization', 'x-', 'api-', 'apikey', 'access-', 'auth-'],
    pattern:
      /(?:(?:proxy-)?authorization|x-[a-z-]{0,24}(?:api-?key|token)|api-?key|api-token|(?:access|auth)-token)["']?\s{0,3}:\s{0,3}["']?(?:(?:Basic|Bearer|Token|Api-Token|ApiKey|Digest|OAuth)\s{1,3})?([A-Za-z0-9=~@.+/_-]{8,2048})/gi,
    entropy: 2.75,
    trim: trimValue,
    check: (it, name) =>
      !/(?:csrf|xsrf|next|page|sync|continuation)-?token/i.test(name) &&
      !isDummyValue(it) &&
      /\d|[=+/]/.test(it) &&
      (!/^[a-z._-]+$/i.test(it) || it.endsWith('=')),
  },
  {
    id: 'curl-user',
    guess: true,
    keywords: ['curl'],
    pattern:
      /\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user)(?:=|\s{1,3})(?:"([^"\n]{3,200}(?:":"[^"\n]{1,200})?)"|'([^'\n]{3,200})'|([^\s"'<>]{3,200}))/g,
    check: isUserAndPassword,
  },
];

/** Identifiers have these forms too, so the name must say clearly that it is a secret. */
function isIdentifier(text: string): boolean {
  return /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:0x)?[0-9a-f]+|[0-9A-HJKMNP-TV-Z]{26})$/i.test(
    text,
  );
}

/** Without the punctuation of the sentence around it, and without the next parameter of a query. */
function trimValue(text: string): string {
  const parameter = /^[^&]*(?=&[\w.-]{1,40}=)/.exec(text)?.[0] ?? text;
  return parameter.replace(/(?<!\.)\.$/, '');
}

/** Whether a value is not a word, path, version, code identifier or number. */
function looksRandom(text: string): boolean {
  const bare = text.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9=]+$/g, '');
  if (bare.length < 10 || isDummyValue(bare)) return false;
  const digits = bare.replace(/\D/g, '').length;
  const minDigits = bare.length >= 24 && hasMixedCase(bare) ? 1 : 2;
  if (digits < minDigits || digits === bare.length || !/[A-Za-z]/.test(bare)) return false;
  if (
    /^v?\d+(?:\.\d+)+|^\d{4}-\d\d-\d\d|^[a-z]+:\/\/|\.(?:pem|key|json|ya?ml|html?|js|ts|py|txt|crt)$/i.test(
      bare,
    )
  )
    return false;
  // An identifier such as config.api.token.
  if (/^[A-Za-z_]\w{0,30}(?:\.[A-Za-z_]\w{0,19})+$/.test(bare)) return false;
  // Words joined by signs, such as my-app-2: a name.
  const words = bare.split(/[^A-Za-z0-9]+/).filter((it) => it !== '');
  if (
    words.length > 1 &&
    !/[^\w./:-]/.test(bare) &&
    words.every((it) => /^[A-Za-z]*\d{0,8}$/.test(it) && !hasMixedCase(it))
  )
    return false;
  if (/^[A-Za-z]+\d{1,4}(?:[A-Z][a-z]+)*$/.test(bare) && bare.length < 16) return false;
  return entropyOf(bare) >= (bare.length < 16 || isIdentifier(bare) ? 3 : 3.4);
}

function hasMixedCase(word: string): boolean {
  return /[a-z][A-Z].*[a-z]?[A-Z]/.test(word);
}

function isUserAndPassword(text: string): boolean {
  if (isDummyValue(text)) return false;
  const [user = '', ...rest] = text.replace(/["'{}]/g, '').split(':');
  const password = rest.join(':');
  const secret = password === '' ? user : password;
  return rest.length > 0 && secret.length >= 6 && entropyOf(secret) >= 2.5 && /\d/.test(secret);
}
