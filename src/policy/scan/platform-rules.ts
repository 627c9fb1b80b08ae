// Key patterns of developer platforms and smaller services, after what each provider documents.
import { prefixRule, type SecretRule } from './secret-rule.js';

const word = '[A-Za-z0-9]';
const token = '[A-Za-z0-9_-]';
const hex = '[a-f0-9]';

/** For prefixes that ordinary names have too: the rest must mix capital letters, small letters and digits. */
function mixedRule(id: string, prefix: string, rest: string): SecretRule {
  return {
    ...prefixRule(id, prefix, rest, 4),
    check: (it) =>
      /\d/.test(it) && /[a-z]/.test(it.slice(prefix.length)) && /[A-Z]/.test(it.slice(prefix.length)),
  };
}

export const platformRules: readonly SecretRule[] = [
  prefixRule('netlify-token', 'nfp_', `${word}{36,64}`),
  prefixRule('cloudflare-origin-key', 'v1.0-', `${hex}{24}-${hex}{146}`),
  prefixRule('dropbox-token', 'sl.', `${token}{130,1400}`, 3.5),
  prefixRule('adobe-secret', 'p8e-', `[a-fA-F0-9]{32}`),
  prefixRule('definednet-token', 'dnkey-', `[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}`),
  prefixRule('settlemint-token', 'sm_pat_', `${word}{16}`),
  prefixRule('settlemint-token', 'sm_aat_', `${word}{16}`),
  prefixRule('settlemint-token', 'sm_sat_', `${word}{16}`),
  prefixRule('shippo-token', 'shippo_live_', `[a-fA-F0-9]{40}`),
  prefixRule('shippo-token', 'shippo_test_', `[a-fA-F0-9]{40}`),
  {
    id: 'maxmind-key',
    keywords: ['_mmk'],
    prefixes: 'any',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/g,
    entropy: 3.5,
  },
  ...['sc_', 'ext_', 'scauth_', 'authress_'].map((it) =>
    prefixRule(
      'authress-key',
      it,
      `[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
    ),
  ),
  ...['pat.', 'sat.'].map((it) => prefixRule('harness-key', it, `${token}{22}\\.${hex}{24}\\.${word}{20}`)),
  prefixRule('airtable-token', 'pat', `${word}{14}\\.${hex}{64}`),
  prefixRule('yandex-token', 't1.', `[A-Z0-9a-z_-]{6,64}={0,2}\\.[A-Z0-9a-z_-]{86}={0,2}`, 3.5),
  mixedRule('yandex-key', 'YC', `${token}{38}`),
  prefixRule('vercel-token', 'vercel_blob_rw_', `${word}{10,24}_${word}{24,48}`),
  prefixRule('langsmith-key', 'lsv2_pt_', `${hex}{32}_${hex}{10}`),
  prefixRule('langsmith-key', 'lsv2_sk_', `${hex}{32}_${hex}{10}`),
  prefixRule('render-key', 'rnd_', `${word}{28,40}`),
  prefixRule('resend-key', 're_', `${word}{8}_${word}{20,32}`, 3.5),
  prefixRule('figma-token', 'figd_', `${token}{36,80}`),
  prefixRule('figma-token', 'figo_', `${token}{36,80}`),
  ...['bkua_', 'bkpt_', 'bkct_'].map((it) => prefixRule('buildkite-token', it, `${hex}{40,64}`)),
  mixedRule('fireworks-key', 'fw_', `${word}{22,40}`),
  prefixRule('elevenlabs-key', 'sk_', `${hex}{48}`),
  prefixRule('openrouter-key', 'sk-or-v1-', `${hex}{64}`),
  prefixRule('azure-devops-token', 'AZDO', `${word}{48,80}`, 3.5),
  prefixRule('cloudinary-url', 'cloudinary://', `\\d{10,20}:${token}{20,40}@[a-z0-9-]{2,60}`),
  prefixRule('easypost-token', 'EZTK', `${word}{54}`),
  prefixRule('flutterwave-key', 'FLWPUBK_TEST-', `${word}{12,40}`),
  prefixRule('flutterwave-key', 'FLWSECK-', `${word}{12,40}`),
  mixedRule('gocardless-token', 'live_', '[A-Za-z0-9_=-]{40}'),
  prefixRule('mailgun-key', 'pubkey-', `${hex}{32}`),
  prefixRule('new-relic-key', 'NRII-', `${token}{32}`),
  prefixRule('sonar-token', 'sqa_', `${hex}{40}`),
  prefixRule('sourcegraph-token', 'slk_', `${hex}{64}`),
  prefixRule('supabase-key', 'sb_secret_', `${token}{20,60}`),
  prefixRule('tailscale-key', 'tskey-', '[a-z]{3,8}-[A-Za-z0-9]{6,24}(?:-[A-Za-z0-9]{20,48})?'),
  prefixRule('neon-key', 'napi_', `${word}{60,70}`),
  prefixRule('posthog-key', 'phx_', `${word}{40,56}`),
  prefixRule('pinecone-key', 'pcsk_', `[A-Za-z0-9]{5,8}_${word}{50,70}`),
  prefixRule('tavily-key', 'tvly-', `(?:dev-|prod-)?${word}{30,40}`),
  prefixRule('discord-token', 'mfa.', `${token}{84}`, 4),
  prefixRule('clickhouse-key', '4b1d', `${word}{38}`, 3.5),
  prefixRule('atlassian-token', 'ATCTT3', '[A-Za-z0-9_=-]{150,220}', 3.5),
  prefixRule('circleci-token', 'CCIPAT_', `[A-Za-z0-9]{20,24}_${hex}{40}`),
  prefixRule('jfrog-token', 'eyJ2ZXIiOiI', `[A-Za-z0-9_.-]{80,2000}`, 4),
  prefixRule('wandb-key', 'wandb_v1_', `${token}{40,120}`),
  {
    id: 'nuget-password',
    keywords: ['cleartextpassword'],
    pattern: /ClearTextPassword"\s{1,3}value="([^"%$\n]{8,200})"/gi,
    entropy: 2.5,
  },
  {
    id: 'gitlab-session',
    keywords: ['_gitlab_session='],
    pattern: /_gitlab_session=([0-9a-z]{32})(?![0-9a-z])/g,
  },
];
