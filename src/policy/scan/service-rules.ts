// Key patterns of chat, payment and mail services, and of formats without a provider (private keys, JWT, URLs).
import { prefixRule, type SecretRule } from './secret-rule.js';

const word = '[A-Za-z0-9]';
const token = '[A-Za-z0-9_-]';
const hex = '[a-f0-9]';
const base64 = '[A-Za-z0-9+/]';

const chat: readonly SecretRule[] = [
  {
    id: 'slack-token',
    keywords: [
      'xoxb-',
      'xoxp-',
      'xoxa-',
      'xoxr-',
      'xoxs-',
      'xoxo-',
      'xoxe-',
      'xoxe.xox',
      'xapp-',
      'xoxc-',
      'xoxd-',
    ],
    pattern:
      /(?<![A-Za-z0-9])(?:xoxe\.)?xox[abcdeoprs]-(?:\d{1,3}-[A-Za-z0-9]{100,300}|\d{7,14}-[A-Za-z0-9-]{14,90}|\d{7,13}-\d{7,13}-\d{7,13}-[a-z0-9]{8,40})(?![A-Za-z0-9])|(?<![A-Za-z0-9])xapp-\d-[A-Z0-9]{8,14}-\d{8,16}-[a-z0-9]{30,80}/g,
    entropy: 3,
  },
  {
    id: 'slack-webhook',
    keywords: ['hooks.slack.com'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9+/]{30,60})/gi,
  },
  {
    id: 'teams-webhook',
    keywords: ['webhook.office.com'],
    pattern: /webhook\.office\.com\/webhookb2\/([a-f0-9@/-]{60,130}\/IncomingWebhook\/[a-f0-9/-]{60,80})/gi,
  },
  {
    id: 'discord-webhook',
    keywords: ['discord.com/api/webhooks', 'discordapp.com/api/webhooks'],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(\d{16,20}\/[A-Za-z0-9_-]{60,80})/gi,
  },
  {
    id: 'discord-token',
    keywords: ['discord', 'bot', 'token'],
    prefixes: 'any',
    minRun: 27,
    pattern:
      /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_.-])/g,
    entropy: 4,
  },
  {
    id: 'telegram-token',
    keywords: [':a'],
    prefixes: 'any',
    minRun: 35,
    pattern: /(?<![A-Za-z0-9])\d{8,10}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])/g,
    entropy: 3.5,
  },
  prefixRule('notion-token', 'ntn_', '\\d{11}[A-Za-z0-9]{35}'),
  prefixRule('notion-token', 'secret_', `${word}{43}`, 3.5),
  prefixRule('airtable-token', 'pat', `${word}{14}\\.${hex}{64}`),
  prefixRule('facebook-token', 'EAAM', `${word}{100,300}`, 4),
  prefixRule('facebook-token', 'EAAC', `${word}{100,300}`, 4),
  {
    id: 'facebook-app-token',
    keywords: ['|', '%7c'],
    prefixes: 'any',
    minRun: 27,
    pattern: /(?<![A-Za-z0-9])\d{15,16}(?:\||%7[Cc])[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])/g,
    entropy: 3,
  },
  prefixRule('intra42-secret', 's-s4t2ud-', `${hex}{64}`),
  prefixRule('intra42-secret', 's-s4t2af-', `${hex}{64}`),
];

const payment: readonly SecretRule[] = [
  {
    id: 'stripe-key',
    keywords: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    pattern: /(?<![A-Za-z0-9])(?:sk|rk)_(?:test|live|prod)_[A-Za-z0-9_]{10,110}(?![A-Za-z0-9])/g,
    entropy: 2.5,
  },
  prefixRule('stripe-webhook-secret', 'whsec_', `${word}{32,64}`),
  prefixRule('square-token', 'EAAA', `${token}{60}`, 3.5),
  prefixRule('square-token', 'sq0csp-', `${token}{43}`),
  prefixRule('shopify-token', 'shpat_', '[a-fA-F0-9]{32}'),
  prefixRule('shopify-token', 'shpss_', '[a-fA-F0-9]{32}'),
  prefixRule('shopify-token', 'shpca_', '[a-fA-F0-9]{32}'),
  prefixRule('shopify-token', 'shppa_', '[a-fA-F0-9]{32}'),
  prefixRule('flutterwave-key', 'FLWSECK_TEST-', `${word}{12,40}`),
  prefixRule('duffel-token', 'duffel_test_', `${token}{43}`),
  prefixRule('duffel-token', 'duffel_live_', `${token}{43}`),
  prefixRule('plaid-token', 'access-sandbox-', '[0-9a-f-]{36}'),
  prefixRule('plaid-token', 'access-production-', '[0-9a-f-]{36}'),
];

const mail: readonly SecretRule[] = [
  prefixRule('sendgrid-key', 'SG.', '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}'),
  prefixRule('sendinblue-key', 'xkeysib-', `${hex}{64}-${word}{16}`),
  {
    id: 'mailchimp-key',
    keywords: ['-us'],
    prefixes: 'any',
    minRun: 36,
    pattern: /(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/g,
    entropy: 3,
  },
  {
    id: 'mailgun-key',
    keywords: ['key-'],
    pattern: /(?<![A-Za-z0-9-])key-[a-f0-9]{32}(?![A-Za-z0-9])/g,
    entropy: 3,
  },
  {
    id: 'twilio-key',
    keywords: ['sk'],
    pattern: /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![A-Za-z0-9])/g,
    entropy: 3,
  },
  prefixRule('grafana-token', 'glc_', `${base64}{32,400}={0,3}`),
  prefixRule('grafana-token', 'glsa_', `${word}{32}_[A-Fa-f0-9]{8}`),
  prefixRule('grafana-key', 'eyJrIjoi', `${word}{70,400}={0,3}`),
  prefixRule('new-relic-key', 'NRAK-', '[A-Z0-9]{27}'),
  prefixRule('new-relic-key', 'NRJS-', `${hex}{19}`),
  prefixRule('dynatrace-token', 'dt0c01.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  prefixRule('easypost-token', 'EZAK', `${word}{54}`),
  prefixRule('frameio-token', 'fio-u-', '[A-Za-z0-9_=-]{64}'),
  prefixRule('typeform-token', 'tfp_', '[A-Za-z0-9_.=-]{59}'),
  prefixRule('contentful-token', 'CFPAT-', `${token}{43}`),
  prefixRule('lob-key', 'live_', `${hex}{35}`),
  prefixRule('lob-key', 'test_', `${hex}{35}`),
];

/** White space, also as an escape in a string. */
const pemSpace = String.raw`(?:\s|\\[nr])`;
/** Lines such as `Proc-Type: 4,ENCRYPTED` before the content. */
const pemHeaders = String.raw`(?:\s|\\[nr]){0,8}(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,120}(?:\s|\\[nr]){1,4}){0,4}`;

const generic: readonly SecretRule[] = [
  {
    id: 'private-key',
    keywords: ['-----begin'],
    // The end may be missing (cut text): then only lines of base64 count. A header without content is not a key.
    pattern: new RegExp(
      `-----BEGIN[ A-Z0-9_-]{0,80}PRIVATE KEY(?: BLOCK)?-----${pemHeaders}(?:[^-]{40,32768}-----END[ A-Z0-9_-]{0,80}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=]{16,}${pemSpace}{1,4})*[A-Za-z0-9+/=]{40,}(?:${pemSpace}{1,4}[A-Za-z0-9+/=]{16,})*)`,
      'g',
    ),
    check: (it) => !/\.\.\.|\u2026|xxxx/iu.test(it),
  },
  {
    id: 'jwt',
    keywords: ['eyj'],
    prefixes: 'any',
    contains: '.ey',
    pattern:
      /(?<![A-Za-z0-9_-])ey[A-Za-z0-9_-]{15,8192}\.ey[A-Za-z0-9_/\\-]{12,16384}\.(?:[A-Za-z0-9_/\\-]{10,8192}={0,2})?/g,
    entropy: 3,
    // A backslash at the end belongs to the quote after it.
    trim: (it) => it.replace(/\\+$/, ''),
  },
  {
    id: 'credentials-in-url',
    keywords: ['://'],
    prefixes: 'any',
    contains: '@',
    pattern:
      /(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/([^\s:/@?#'"<>]{0,64}:[^\s@/'"<>]{3,128})@[A-Za-z0-9[]/g,
    check: (it) =>
      !/^(?:user|username|name)?:(?:pass|password|pwd|secret)$/i.test(it) && !/^[^:]*:[xX*.]+$/.test(it),
  },
  {
    id: 'bundler-credentials',
    keywords: ['bundle_'],
    pattern:
      /BUNDLE_[A-Z0-9_]{3,60}__COM\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9]{6,40}:[A-Za-z0-9]{6,40})(?![A-Za-z0-9])/g,
  },
];

export const serviceRules: readonly SecretRule[] = [...chat, ...payment, ...mail, ...generic];
