import { createHmac } from 'node:crypto';
import { canonicalJson, type Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Vault } from '../secrets/vault.js';
import { type Passed, passedValues } from './slots.js';

/**
 * Stands for which values a package has and who may receive them, without saying anything of the values. The key keeps
 * whoever reads a digest from trying values out.
 */
export async function credentialsDigest(
  of: Package,
  vault: Vault,
  passed: Passed,
  key: () => Promise<Uint8Array>,
): Promise<string> {
  if (of.slots.length === 0) return 'none';
  const kept = (await vault.list())
    .filter((it) => it.package === of.id)
    .map(({ slot, audience, setAt }) => ({ slot, audience: audience as unknown as Json, setAt }));
  const text = canonicalJson({ kept, passed: passedValues(of, passed) });
  return createHmac('sha256', await key())
    .update(text)
    .digest('hex');
}
