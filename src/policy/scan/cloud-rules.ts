// Shapes of keys of clouds, code hosts and models. Each row is what a provider says of its keys, in few words.
import { prefixed, type SecretRule } from './rule.js';

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
  prefixed('aws-bedrock-key', 'ABSK', `${base64}{100,270}={0,2}`),
  prefixed('aws-bedrock-key', 'bedrock-api-key-', `${base64}{40,4096}={0,2}`),
  prefixed('google-api-key', 'AIza', `${token}{35}`),
  prefixed('google-oauth-secret', 'GOCSPX-', `${token}{28}`),
  prefixed('google-oauth-token', 'ya29.', `[A-Za-z0-9_.-]{40,2048}`),
  {
    id: 'azure-client-secret',
    keywords: ['q~'],
    begins: 'anything',
    pattern: /(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_.~-])/g,
    entropy: 3,
  },
  {
    id: 'azure-storage-key',
    keywords: ['accountkey='],
    pattern: /AccountKey=([A-Za-z0-9+/]{80,88}={0,2})/gi,
    entropy: 3.5,
  },
  prefixed('alibaba-key', 'LTAI', `${word}{20}`),
  prefixed('digitalocean-token', 'dop_v1_', `${hex}{64}`),
  prefixed('digitalocean-token', 'doo_v1_', `${hex}{64}`),
  prefixed('digitalocean-token', 'dor_v1_', `${hex}{64}`),
  prefixed('tencent-secret-id', 'AKID', `${word}{32}`),
  prefixed('fly-token', 'fo1_', `${token}{43}`),
  {
    id: 'fly-token',
    keywords: ['fm1a_', 'fm1r_', 'fm2_'],
    pattern: /(?<![A-Za-z0-9])fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,8192}={0,3}/g,
    entropy: 4,
  },
  prefixed('heroku-key', 'HRKU-AA', `${token}{58}`),
  prefixed('scalingo-token', 'tk-us-', `${token}{48}`),
  {
    id: 'openshift-token',
    keywords: ['sha256~'],
    pattern: /(?<![A-Za-z0-9])sha256~[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g,
    entropy: 3.5,
  },
  {
    id: 'terraform-token',
    keywords: ['atlasv1'],
    begins: 'anything',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}/gi,
    entropy: 3.5,
  },
  prefixed('vault-token', 'hvs.', `${token}{90,120}`),
  prefixed('vault-token', 'hvb.', `${token}{138,300}`),
  {
    id: 'vault-token',
    keywords: ['s.'],
    pattern: /(?<![A-Za-z0-9_.])s\.[A-Za-z0-9]{24}(?![A-Za-z0-9_.])/g,
    entropy: 3.5,
    check: (it) => /\d/.test(it) && /[a-z]/.test(it) && /[A-Z]/.test(it),
  },
  prefixed('databricks-token', 'dapi', `${hex}{32}(?:-\\d)?`),
  prefixed('doppler-token', 'dp.pt.', `${word}{43}`),
  prefixed('pulumi-token', 'pul-', `${hex}{40}`),
  prefixed('planetscale-token', 'pscale_tkn_', '[A-Za-z0-9_.=-]{32,64}'),
  prefixed('planetscale-token', 'pscale_pw_', '[A-Za-z0-9_.=-]{32,64}'),
  prefixed('supabase-token', 'sbp_', `${hex}{40}`),
  prefixed('yandex-key', 'AQVN', `${token}{35,38}`),
  prefixed('age-key', 'AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  prefixed('1password-token', 'ops_eyJ', `${base64}{200,2048}={0,3}`, 4),
  {
    id: '1password-key',
    keywords: ['a3-'],
    pattern:
      /(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}(?![A-Za-z0-9-])/g,
    entropy: 3.8,
  },
];

const codeHosts: readonly SecretRule[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((it) => prefixed('github-token', it, `${word}{34,40}`)),
  prefixed('github-token', 'github_pat_', '[A-Za-z0-9_]{60,90}'),
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
  ].map((it) => prefixed('gitlab-token', it, `[A-Za-z0-9_-]{20,64}(?:\\.[A-Za-z0-9_.-]{7,40})?`)),
  prefixed('gitlab-runner-token', 'GR1348941', `${token}{20}`),
  prefixed('bitbucket-token', 'ATBB', `${word}{32}`),
  prefixed('atlassian-token', 'ATATT3', '[A-Za-z0-9_=-]{186}', 3.5),
  prefixed('sourcegraph-token', 'sgp_', '(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}'),
  prefixed('octopus-key', 'API-', '[A-Z0-9]{26}'),
  prefixed('artifactory-key', 'AKCp', `${word}{69}`),
  prefixed('artifactory-token', 'cmVmd', `${word}{59}`, 4),
  prefixed('infracost-token', 'ico-', `${word}{32}`),
  prefixed('npm-token', 'npm_', `${word}{36}`),
  prefixed('pypi-token', 'pypi-AgEIcHlwaS5vcmc', `${token}{50,1000}`),
  prefixed('rubygems-key', 'rubygems_', `${hex}{48}`),
  prefixed('clojars-token', 'CLOJARS_', `${word}{60}`, 2.5),
  prefixed('docker-token', 'dckr_pat_', `${token}{27,36}`),
  prefixed('cargo-token', 'cio', `${word}{32}`, 3.5),
  prefixed('prefect-token', 'pnu_', `${word}{36}`),
  prefixed('postman-key', 'PMAK-', `${hex}{24}-${hex}{34}`),
  prefixed('readme-token', 'rdme_', '[a-z0-9]{70}'),
  prefixed('linear-key', 'lin_api_', `${word}{40}`),
  prefixed('sonar-token', 'squ_', `${hex}{40}`),
  prefixed('sonar-token', 'sqp_', `${hex}{40}`),
  prefixed('sentry-token', 'sntrys_eyJ', '[A-Za-z0-9+/=_]{60,1024}', 3.5),
  prefixed('sentry-token', 'sntryu_', `${hex}{64}`),
];

const models: readonly SecretRule[] = [
  prefixed('anthropic-key', 'sk-ant-api03-', `${token}{93}AA`),
  prefixed('anthropic-key', 'sk-ant-admin01-', `${token}{93}AA`),
  {
    id: 'openai-key',
    keywords: ['t3blbkfj'],
    begins: 'anything',
    pattern: /(?<![A-Za-z0-9])sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}/g,
    entropy: 3,
  },
  {
    // Many services write their keys in this way.
    id: 'service-key',
    keywords: ['sk-'],
    pattern: /(?<![A-Za-z0-9_-])sk-(?:[a-z]{2,10}-)?[A-Za-z0-9]{20,64}(?![A-Za-z0-9_-])/g,
    entropy: 3.5,
    check: (it) => /\d/.test(it) && /[A-Z]/.test(it),
  },
  prefixed('huggingface-token', 'hf_', '[A-Za-z]{34}'),
  prefixed('huggingface-token', 'api_org_', '[A-Za-z]{34}'),
  prefixed('perplexity-key', 'pplx-', `${word}{48}`),
  prefixed('replicate-token', 'r8_', `${word}{37}`),
  prefixed('groq-key', 'gsk_', `${word}{52}`),
  prefixed('xai-key', 'xai-', `${word}{70,85}`),
];

export const cloudRules: readonly SecretRule[] = [...clouds, ...codeHosts, ...models];
