import type { Package } from '../../model/package.js';
import { signedInProgram } from '../../secrets/sign-in-record.js';
import type { Vault } from '../../secrets/vault.js';
import type { Agreements } from '../packages/agreements.js';
import type { PackageFolders } from './package-folders.js';

/** What is stored for packages, which a changed or new package with the same id would get. */
export function storedData(
  vault: Vault,
  folders: () => PackageFolders,
): Pick<Agreements, 'secretsOf' | 'hasStoredData'> {
  return {
    secretsOf: async ({ id, slots }: Package) => {
      const stored = slots.some((it) => it.secret) ? await vault.list() : [];
      const isStored = (slot: string) => stored.some((it) => it.package === id && it.slot === slot);
      return slots.filter((it) => it.secret && isStored(it.name)).map((it) => it.name);
    },
    hasStoredData: async ({ id, slots, permissions, programs }: Package) => {
      if (permissions.stateDirectory && folders().hasData(id)) return true;
      const mayUseSignIn = programs.some((it) => it.target.kind === 'url');
      if (slots.length === 0 && !mayUseSignIn) return false;
      const isUsed = (slot: string) =>
        signedInProgram(slot) === undefined ? slots.length > 0 : mayUseSignIn;
      return (await vault.list()).some((it) => it.package === id && isUsed(it.slot));
    },
  };
}
