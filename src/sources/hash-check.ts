import { HostError } from '../model/host-error.js';

/** Throws an `integrity` error that names both hashes. An undefined one was not known before. */
export function assertHash(what: string, expected: string | undefined, found: string): void {
  if (expected === undefined || expected === found) return;
  throw new HostError('integrity', `${what} is not what was expected: expected ${expected}, found ${found}`, {
    hint: 'find out why it changed: a published version must not change',
  });
}
