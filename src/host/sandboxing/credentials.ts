import { createHmac } from 'node:crypto';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { signedInProgram } from '../../secrets/sign-in-record.js';
import type { Vault } from '../../secrets/vault.js';
import type { PassedEnvironment } from './passed-environment.js';
import { passedValues } from './slots.js';

/**
 * Identifies which values a package has and who may receive them, without revealing the values. It is keyed, so that
 * nobody who reads a digest can guess values and compare.
 */
export async function credentialsDigest(
  pkg: Package,
  vault: Vault,
  passed: PassedEnvironment,
  key: () => Promise<Uint8Array>,
): Promise<string> {
  if (pkg.slots.length === 0) return 'none';
  const kept = (await vault.list())
    // A refreshed token is the same sign-in; a new sign-in voids approvals itself.
    .filter((it) => it.package === pkg.id && signedInProgram(it.slot) === undefined)
    .map(({ slot, audience, setAt }) => ({ slot, audience: audience as unknown as Json, setAt }));
  const text = canonicalJson({ kept, passed: passedValues(pkg, passed) });
  return createHmac('sha256', await key())
    .update(text)
    .digest('hex');
}
