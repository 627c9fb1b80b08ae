import { sha256Bytes } from '../../../files/sha256.js';
import { entropyOf } from '../../../policy/scan/entropy.js';
import { redactNow } from '../../../policy/scan/redact-secrets.js';
import { nameEvidence, wordsOfName } from '../../../policy/scan/secret-name.js';
import { secretInUrl } from './secret-url.js';

/** Which values the person called secrets or settings, by name. What nobody named is guessed. */
export interface NamedKinds {
  readonly secrets: readonly string[];
  readonly settings: readonly string[];
}

/** Whether a value is a secret: because somebody said so, or because its name or its text looks like one. */
export function isSecretValue(name: string, value: string, { secrets, settings }: NamedKinds): boolean {
  if (secrets.includes(name)) return true;
  if (settings.includes(name)) return false;
  return isSecretName(name) || looksSecret(value);
}

/** `DB_PASS` and `SMTP_PASS_2` too, but not `COMPASS` or `PASS_THROUGH`. */
export function isSecretName(name: string): boolean {
  if (nameEvidence(name, true) !== 'none') return true;
  const last = wordsOfName(name).findLast((it) => !/^\d+$/.test(it));
  return /^(?:db|pg|my|mysql|sql|smtp|imap|mail|ftp|user|root|admin|auth)?pass$/.test(last ?? '');
}

const scheme = /^(?:[\w-]+\s*[:=]\s*)?(?:bearer|basic|token)\s+\S{4,}$/i;
const scanOptions = { guesses: true, reportSamples: true, sha256: sha256Bytes };

/** Whether a text is or contains a secret: a key, a URL with a password, `Bearer abc`, `X-Api-Key: abc`. */
export function looksSecret(text: string): boolean {
  if (looksLikeKey(text) || scheme.test(text) || secretInUrl(text) !== undefined) return true;
  const [, name] = /^([A-Za-z][\w-]*)\s*[:=]\s*[^\s/]/.exec(text) ?? [];
  return (name !== undefined && isSecretName(name)) || redactNow(text, [], scanOptions).findings.length > 0;
}

/** Long random text, such as `sk-proj-8f…`. Addresses, paths and sentences are not. */
export function looksLikeKey(value: string): boolean {
  if (value.length < 20 || /[\s/\\]|:\/\//.test(value) || /^[\w.-]+@[\w.-]+$/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) > 3.5;
}

/** An argument that gives a secret: `--api-key=VALUE` is one, `--api-key VALUE` two. */
export function secretArgument(arg: string): { readonly name: string; readonly value?: string } | undefined {
  const [, option, value] = /^--?([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?$/s.exec(arg) ?? [];
  if (option === undefined || !(isSecretName(option) || (value !== undefined && looksSecret(value))))
    return undefined;
  const name = option.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return value === undefined ? { name } : { name, value };
}
