// Keys in the formats that providers document, texts that nearly have such a format, and ordinary lines beside them.
import { chance, letters } from '../chance.mjs';
import { halfOf } from './split.mjs';

const hex = '0123456789abcdef';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const upperDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const lowerDigits = 'abcdefghijklmnopqrstuvwxyz0123456789';
const token = `${letters}_-`;
const base64 = `${letters}+/`;
const digits = '0123456789';

/** Alphabets of the random parts of a format: `{36w}` is 36 letters and digits. */
const alphabets = {
  w: letters,
  a: letters.slice(0, 52),
  h: hex,
  b: upper,
  u: upperDigits,
  d: digits,
  t: token,
};

/** By provider: the format of its keys. */
const formats = {
  aws: 'AKIA{16b}',
  'aws-temporary': 'ASIA{16b}',
  google: 'AIza{35t}',
  'google-oauth': 'GOCSPX-{28t}',
  github: 'ghp_{36w}',
  'github-app': 'ghs_{36w}',
  'github-fine': 'github_pat_{22w}_{59w}',
  gitlab: 'glpat-{20w}',
  'gitlab-deploy': 'gldt-{20w}',
  npm: 'npm_{36w}',
  anthropic: 'sk-ant-api03-{93t}AA',
  stripe: 'sk_live_{24w}',
  'stripe-restricted': 'rk_live_{24w}',
  digitalocean: 'dop_v1_{64h}',
  databricks: 'dapi{32h}',
  doppler: 'dp.pt.{43w}',
  pulumi: 'pul-{40h}',
  planetscale: 'pscale_tkn_{43w}',
  supabase: 'sbp_{40h}',
  linear: 'lin_api_{40w}',
  postman: 'PMAK-{24h}-{34h}',
  rubygems: 'rubygems_{48h}',
  huggingface: 'hf_{34a}',
  perplexity: 'pplx-{48w}',
  replicate: 'r8_{37w}',
  groq: 'gsk_{52w}',
  shopify: 'shpat_{32h}',
  square: 'sq0csp-{43w}',
  sendgrid: 'SG.{22w}.{43w}',
  newrelic: 'NRAK-{27u}',
  grafana: 'glsa_{32w}_{8h}',
  netlify: 'nfp_{40w}',
  'cloudflare-origin': 'v1.0-{24h}-{146h}',
  'dropbox-short': 'sl.{136w}',
  authress: 'sc_{10w}.{4w}.acc_{10w}.{60w}',
  harness: 'pat.{22w}.{24h}.{20w}',
  adobe: 'p8e-{32h}',
  definednet: 'dnkey-{26u}-{52u}',
  settlemint: 'sm_pat_{16w}',
  shippo: 'shippo_live_{40h}',
  maxmind: '{6w}_{29w}_mmk',
  'yandex-cloud': 't1.9{10w}.{86t}',
  intra42: 's-s4t2ud-{64h}',
  notion: 'ntn_{11d}{35w}',
  airtable: 'pat{14w}.{64h}',
  'vercel-blob': 'vercel_blob_rw_{16w}_{32w}',
  telegram: '{10d}:AA{33w}',
  twilio: 'SK{32h}',
  mailgun: 'key-{32h}',
  fireworks: 'fw_{24w}',
  'plain sk': 'sk-{40w}',
  langchain: 'lsv2_pt_{32h}_{10h}',
  render: 'rnd_{32w}',
  resend: 're_{8w}_{24w}',
  clerk: 'sk_test_{42w}',
  figma: 'figd_{40w}',
  buildkite: 'bkua_{40h}',
  'sentry-user': 'sntryu_{64h}',
  docker: 'dckr_pat_{27w}',
  vault: 'hvs.{95w}',
  openrouter: 'sk-or-v1-{64h}',
  elevenlabs: 'sk_{48h}',
  flutterwave: 'FLWSECK_TEST-{32h}-X',
  paystack: 'sk_live_{40h}',
  'slack bot': 'xoxb-{12d}-{13d}-{24w}',
  'discord hook': 'https://discord.com/api/webhooks/{18d}/{68w}',
  'slack hook': 'https://hooks.slack.com/services/T{8u}/B{8u}/{24w}',
  'url login': 'postgres://app:{18w}@db.example.org/main',
};

const randomPart = /\{(\d+)([a-z])\}/g;
const keyOf = (format, lot) =>
  format.replace(randomPart, (_, length, alphabet) => lot.text(Number(length), alphabets[alphabet]));
/** The parts of a key that open something: its random parts. */
const lastPart = (key) =>
  key.split(/[/@]/).findLast((it) => /[A-Za-z0-9]{12}/.test(it) && !it.includes('example'));

/** Where a key with a format of its own is said. */
const places = {
  bare: (it) => it,
  sentence: (it) => `Please use ${it} for the deployment.`,
  'end of a sentence': (it) => `The key is ${it}.`,
  environment: (it) => `export SERVICE_KEY=${it}`,
  json: (it) => `{"region":"eu-1","value":"${it}","retries":3}`,
  yaml: (it) => `service:\n  value: ${it}\n  retries: 3\n`,
  query: (it) => `https://api.example.org/v1/items?k=${encodeURIComponent(it)}&limit=5`,
  header: (it) => `GET /v1/items HTTP/1.1\r\nAuthorization: Bearer ${it}\r\nAccept: */*`,
  code: (it) => `client = Client("${it}", timeout=5)`,
  markdown: (it) => `- key: \`${it}\` (rotate soon)`,
  'escaped json': (it) => JSON.stringify(JSON.stringify({ value: it })),
  base64: (it) => `payload: ${Buffer.from(`{"value":"${it}"}`).toString('base64')}`,
};

/** Names of secrets that have no format of their own. */
const names = [
  ...'password db_password DB_PASSWORD dbPassword mysql_root_password api_key apiKey API_KEY x-api-key'.split(
    ' ',
  ),
  ...'client_secret clientSecret CLIENT_SECRET oauth_client_secret access_token accessToken ACCESS_TOKEN'.split(
    ' ',
  ),
  ...'refresh_token auth_token authToken AUTH_TOKEN bearer_token session_token secret_key SECRET_KEY'.split(
    ' ',
  ),
  ...'secret_key_base encryption_key signing_key private_key master_key license_key storage_account_key'.split(
    ' ',
  ),
  ...'webhook_secret jwt_secret app_secret consumer_secret slack_signing_secret passphrase smtp_pwd'.split(
    ' ',
  ),
  ...'API_KEY_PROD api_token_v2 apitoken authtoken dbpassword service_credentials okta_api_token'.split(' '),
  ...'trello_api_key sentry_auth_token heroku_api_key datadog_api_key mapbox_secret_token jira_token'.split(
    ' ',
  ),
  ...'cloudflare_api_token algolia_api_key asana_secret zendesk_secret_key twitter_api_secret'.split(' '),
  ...'netlify_access_token sonar_token launchdarkly_access_token fastly_api_token coinbase_access_token'.split(
    ' ',
  ),
];
const values = {
  mixed: (lot) => `a${lot.text(30, letters)}7`,
  hex32: (lot) => lot.text(32, hex),
  hex40: (lot) => lot.text(40, hex),
  base64: (lot) => `${lot.text(43, base64)}=`,
  lower: (lot) => `k${lot.text(22, lowerDigits)}4x9`,
  signs: (lot) => `${lot.text(8, letters)}!${lot.text(4, digits)}#${lot.text(6, letters)}`,
};
const assignments = {
  equals: (name, it) => `${name}=${it}`,
  'equals, quoted': (name, it) => `${name} = "${it}"`,
  json: (name, it) => `{"${name}": "${it}", "retries": 3}`,
  yaml: (name, it) => `${name}: ${it}\nretries: 3`,
  code: (name, it) => `const ${name.replaceAll('-', '_')} = '${it}';`,
};

/** Keys: `secret` must not be left in `text` after a scan. */
export function generatedKeys(seed = 2024) {
  const lot = chance(seed);
  const cases = [];
  for (const [provider, format] of Object.entries(formats))
    for (const [place, say] of Object.entries(places)) {
      const key = keyOf(format, lot);
      cases.push(caseOf(`${provider}, ${place}`, say(key), lastPart(key)));
    }
  for (const name of names)
    for (const [kind, make] of Object.entries(values))
      for (const [how, assign] of Object.entries(assignments)) {
        if (how === 'json' && kind === 'signs') continue;
        const secret = make(lot);
        cases.push(caseOf(`${name}, ${kind}, ${how}`, assign(name, secret), secret));
      }
  return cases;
}

/** Names beside which a random value is an identifier, and lines without a secret. */
const publicNames = [
  ...'trello_board_id okta_user_id oktaUserId sentry_event_id sentry_project datadog_monitor_id'.split(' '),
  ...'heroku_app_name mapbox_style twitter_status_id asana_task_gid jira_issue netlify_site_id'.split(' '),
  ...'token_address tokenAddress token_count token_id secret_name secret_version_id secret_arn'.split(' '),
  ...'checksum/secret checksum/config password_changed_at password_policy_id api_version api_key_id'.split(
    ' ',
  ),
  ...'apiKeyId credential_id credentials_id client_id clientId auth_url auth_provider_id authz_model'.split(
    ' ',
  ),
  ...'access_level access_point_arn accessor public_key publicKey ssh_public_key key_fingerprint'.split(' '),
  ...'next_page_token nextPageToken sync_token continuation_token csrf_token partition_key sort_key'.split(
    ' ',
  ),
  ...'object_key primary_key cache_key issue_key idempotency_key dedupe_key keyword monkey turkey'.split(' '),
  ...'author_id authority tokenizer_hash token_type secret_rotation_id session_id request_id trace_id'.split(
    ' ',
  ),
  ...'auth-service api-gateway token-bucket secret-santa credential-store access-log key-value-store'.split(
    ' ',
  ),
  ...'square-one intercom-hall drone-7 discord-bridge adobe-stock yandex-maps sumo-wrestler'.split(' '),
];
const identifiers = {
  uuid: (lot) => [8, 4, 4, 4, 12].map((length) => lot.text(length, hex)).join('-'),
  hex24: (lot) => lot.text(24, hex),
  hex32: (lot) => lot.text(32, hex),
  sha1: (lot) => lot.text(40, hex),
  sha256: (lot) => lot.text(64, hex),
  short: (lot) => `00u${lot.text(17, letters)}`,
  ulid: (lot) => `01${lot.text(24, upperDigits.replace(/[ILOU]/g, ''))}`,
  number: (lot) => `${1 + lot.below(9)}${lot.text(17, digits)}`,
  address: (lot) => `0x${lot.text(40, hex)}`,
};

/** Ordinary lines: a scan must not change `text`. */
export function generatedOrdinary(seed = 4048) {
  const lot = chance(seed);
  const cases = [];
  for (const name of publicNames)
    for (const [kind, make] of Object.entries(identifiers))
      for (const how of ['equals, quoted', 'json', 'yaml'])
        cases.push(caseOf(`${name}, ${kind}, ${how}`, assignments[how](name, make(lot))));
  return cases;
}

/** Texts that nearly are keys: too short, a dummy, or the name of a variable. */
export function generatedNear(seed = 8096) {
  const lot = chance(seed);
  const cases = [];
  for (const [provider, format] of Object.entries(formats)) {
    if (format.includes('://')) continue;
    const dummy = format.replace(randomPart, (_, length) => 'x'.repeat(Number(length)));
    const lead = format.slice(0, format.indexOf('{'));
    for (const [kind, text] of Object.entries({
      short: `id ${lead}${lot.text(3, hex)} in the list`,
      dummy: `use ${dummy} here`,
      variable: `use ${lead}\${KEY} here`,
      'only the start': `keys of this provider begin with ${lead}`,
    }))
      cases.push(caseOf(`${provider}, ${kind}`, text));
  }
  for (const name of names)
    for (const [kind, value] of Object.entries({
      variable: '${SERVICE_VALUE}',
      template: '{{ .Values.service.value }}',
      dummy: 'your-value-here',
      stars: '****************',
      call: 'os.environ["SERVICE_VALUE"]',
      member: 'config.service.value',
      word: 'correct',
      path: '/run/values/service.pem',
      number: '3600',
      switch: 'true',
    }))
      for (const how of ['equals', 'yaml'])
        cases.push(caseOf(`${name}, ${kind}, ${how}`, assignments[how](name, value)));
  return cases;
}

function caseOf(name, text, secret) {
  return { name, text, half: halfOf(name), ...(secret === undefined ? {} : { secret }) };
}
