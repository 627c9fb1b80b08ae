import { entropyOf } from '../../../policy/scan/entropy.js';
import { nameEvidence } from '../../../policy/scan/secret-name.js';

/** Which values the person called secrets or settings, by name. What nobody named is guessed. */
export interface NamedKinds {
  readonly secrets: readonly string[];
  readonly settings: readonly string[];
}

/** Whether a value is a secret: because somebody said so, or because its name or its text looks like one. */
export function isSecretValue(name: string, value: string, { secrets, settings }: NamedKinds): boolean {
  if (secrets.includes(name)) return true;
  if (settings.includes(name)) return false;
  return nameEvidence(name, true) !== 'none' || looksLikeKey(value);
}

/** Long random text, such as `sk-proj-8f…`. Addresses, paths and sentences are not. */
export function looksLikeKey(value: string): boolean {
  if (value.length < 20 || /[\s/\\]|:\/\//.test(value) || /^[\w.-]+@[\w.-]+$/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyOf(value) > 3.5;
}

/** An argument that gives a secret: `--api-key=VALUE` is one, `--api-key VALUE` two. */
export function secretArgument(arg: string): { readonly name: string; readonly value?: string } | undefined {
  const [, option, value] = /^--?([A-Za-z][A-Za-z0-9_-]*)(?:=(.*))?$/s.exec(arg) ?? [];
  if (option === undefined || nameEvidence(option, true) === 'none') return undefined;
  const name = option.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return value === undefined ? { name } : { name, value };
}
