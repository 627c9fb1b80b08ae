// Key patterns of cloud providers, code hosts and model providers, after what each provider documents.
import { prefixRule, type SecretRule } from './secret-rule.js';

const word = '[A-Za-z0-9]';
const token = '[A-Za-z0-9_-]';
const hex = '[a-f0-9]';
const base64 = '[A-Za-z0-9+/]';

const clouds: readonly SecretRule[] = [
  {
    id: 'aws-access-key',
    keywords: ['akia', 'asia', 'abia', 'acca', 'a3t'],
    pattern: /(?<![A-Za-z0-9+/])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9+/])/g,
    entropy: 3,
  },
  prefixRule('aws-bedrock-key', 'ABSK', `${base64}{100,270}={0,2}`),
  prefixRule('aws-bedrock-key', 'bedrock-api-key-', `${base64}{40,4096}={0,2}`),
  prefixRule('google-api-key', 'AIza', `${token}{35}`),
  prefixRule('google-oauth-secret', 'GOCSPX-', `${token}{28}`),
  prefixRule('google-oauth-token', 'ya29.', `[A-Za-z0-9_.-]{40,2048}`),
  {
    id: 'azure-client-secret',
    keywords: ['q~'],
    prefixes: 'any',
    pattern: /(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_.~-])/g,
    entropy: 3,
  },
  {
    id: 'azure-storage-key',
    keywords: ['accountkey='],
    pattern: /AccountKey=([A-Za-z0-9+/]{80,88}={0,2})/gi,
    entropy: 3.5,
  },
  prefixRule('alibaba-key', 'LTAI', `${word}{20}`),
  prefixRule('digitalocean-token', 'dop_v1_', `${hex}{64}`),
  prefixRule('digitalocean-token', 'doo_v1_', `${hex}{64}`),
  prefixRule('digitalocean-token', 'dor_v1_', `${hex}{64}`),
  prefixRule('tencent-secret-id', 'AKID', `${word}{32}`),
  prefixRule('fly-token', 'fo1_', `${token}{43}`),
  {
    id: 'fly-token',
    keywords: ['fm1a_', 'fm1r_', 'fm2_'],
    pattern: /(?<![A-Za-z0-9])fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,8192}={0,3}/g,
    entropy: 4,
  },
  prefixRule('heroku-key', 'HRKU-AA', `${token}{58}`),
  prefixRule('scalingo-token', 'tk-us-', `${token}{48}`),
  {
    id: 'openshift-token',
    keywords: ['sha256~'],
    pattern: /(?<![A-Za-z0-9])sha256~[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g,
    entropy: 3.5,
  },
  {
    id: 'terraform-token',
    keywords: ['atlasv1'],
    prefixes: 'any',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}/gi,
    entropy: 3.5,
  },
  prefixRule('vault-token', 'hvs.', `${token}{90,120}`),
  prefixRule('vault-token', 'hvb.', `${token}{138,300}`),
  {
    id: 'vault-token',
    keywords: ['s.'],
    pattern: /(?<![A-Za-z0-9_.])s\.[A-Za-z0-9]{24}(?![A-Za-z0-9_.])/g,
    entropy: 3.5,
    check: (it) => /\d/.test(it) && /[a-z]/.test(it) && /[A-Z]/.test(it),
  },
  prefixRule('databricks-token', 'dapi', `${hex}{32}(?:-\\d)?`),
  prefixRule('doppler-token', 'dp.pt.', `${word}{43}`),
  prefixRule('pulumi-token', 'pul-', `${hex}{40}`),
  prefixRule('planetscale-token', 'pscale_tkn_', '[A-Za-z0-9_.=-]{32,64}'),
  prefixRule('planetscale-token', 'pscale_pw_', '[A-Za-z0-9_.=-]{32,64}'),
  prefixRule('supabase-token', 'sbp_', `${hex}{40}`),
  prefixRule('yandex-key', 'AQVN', `${token}{35,38}`),
  prefixRule('age-key', 'AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  prefixRule('1password-token', 'ops_eyJ', `${base64}{200,2048}={0,3}`, 4),
  {
    id: '1password-key',
    keywords: ['a3-'],
    pattern:
      /(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}(?![A-Za-z0-9-])/g,
    entropy: 3.8,
  },
];

const codeHosts: readonly SecretRule[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((it) => prefixRule('github-token', it, `${word}{34,40}`)),
  prefixRule('github-token', 'github_pat_', '[A-Za-z0-9_]{60,90}'),
  ...[
    'glpat-',
    'gldt-',
    'glft-',
    'glsoat-',
    'glimt-',
    'glrt-',
    'glcbt-',
    'glagent-',
    'gloas-',
    'glptt-',
    'glffct-',
  ].map((it) => prefixRule('gitlab-token', it, `[A-Za-z0-9_-]{20,64}(?:\\.[A-Za-z0-9_.-]{7,40})?`)),
  prefixRule('gitlab-runner-token', 'GR1348941', `${token}{20}`),
  prefixRule('bitbucket-token', 'ATBB', `${word}{32}`),
  prefixRule('atlassian-token', 'ATATT3', '[A-Za-z0-9_=-]{186}', 3.5),
  prefixRule('sourcegraph-token', 'sgp_', '(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}'),
  prefixRule('octopus-key', 'API-', '[A-Z0-9]{26}'),
  prefixRule('artifactory-key', 'AKCp', `${word}{69}`),
  prefixRule('artifactory-token', 'cmVmd', `${word}{59}`, 4),
  prefixRule('infracost-token', 'ico-', `${word}{32}`),
  prefixRule('npm-token', 'npm_', `${word}{36}`),
  prefixRule('pypi-token', 'pypi-AgEIcHlwaS5vcmc', `${token}{50,1000}`),
  prefixRule('rubygems-key', 'rubygems_', `${hex}{48}`),
  prefixRule('clojars-token', 'CLOJARS_', `${word}{60}`, 2.5),
  prefixRule('docker-token', 'dckr_pat_', `${token}{27,36}`),
  prefixRule('cargo-token', 'cio', `${word}{32}`, 3.5),
  prefixRule('prefect-token', 'pnu_', `${word}{36}`),
  prefixRule('postman-key', 'PMAK-', `${hex}{24}-${hex}{34}`),
  prefixRule('readme-token', 'rdme_', '[a-z0-9]{70}'),
  prefixRule('linear-key', 'lin_api_', `${word}{40}`),
  prefixRule('sonar-token', 'squ_', `${hex}{40}`),
  prefixRule('sonar-token', 'sqp_', `${hex}{40}`),
  prefixRule('sentry-token', 'sntrys_eyJ', '[A-Za-z0-9+/=_]{60,1024}', 3.5),
  prefixRule('sentry-token', 'sntryu_', `${hex}{64}`),
];

const models: readonly SecretRule[] = [
  prefixRule('anthropic-key', 'sk-ant-api03-', `${token}{93}AA`),
  prefixRule('anthropic-key', 'sk-ant-admin01-', `${token}{93}AA`),
  {
    id: 'openai-key',
    keywords: ['t3blbkfj'],
    prefixes: 'any',
    pattern: /(?<![A-Za-z0-9])sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}/g,
    entropy: 3,
  },
  {
    // A format that many services use.
    id: 'service-key',
    keywords: ['sk-'],
    pattern: /(?<![A-Za-z0-9_-])sk-(?:[a-z]{2,10}-)?[A-Za-z0-9]{20,64}(?![A-Za-z0-9_-])/g,
    entropy: 3.5,
    check: (it) => /\d/.test(it) && /[A-Z]/.test(it),
  },
  prefixRule('huggingface-token', 'hf_', '[A-Za-z]{34}'),
  prefixRule('huggingface-token', 'api_org_', '[A-Za-z]{34}'),
  prefixRule('perplexity-key', 'pplx-', `${word}{48}`),
  prefixRule('replicate-token', 'r8_', `${word}{37}`),
  prefixRule('groq-key', 'gsk_', `${word}{52}`),
  prefixRule('xai-key', 'xai-', `${word}{70,85}`),
];

export const cloudRules: readonly SecretRule[] = [...clouds, ...codeHosts, ...models];
