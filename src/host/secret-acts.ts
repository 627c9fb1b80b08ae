import type { Json } from '../model/json.js';
import type { AuditLog } from '../store/audit.js';
import type { Equipment } from './equipment.js';
import type { Host } from './host.js';

/** Values go in; who did what is on record, what the value is never is. */
export function secretActs(
  { vault, changed }: Pick<Equipment, 'vault' | 'changed'>,
  audit: AuditLog,
): Host['secrets'] {
  return {
    async set({ by, ...entry }) {
      const { package: packageId, slot, audience } = entry;
      await audit.append({
        kind: 'operator',
        body: { act: 'secret set', package: packageId, slot, audience: audience as unknown as Json, by },
      });
      const made = await vault.set(entry);
      changed();
      return made;
    },
    list: () => vault.list(),
    async unset(packageId, slot, by) {
      await audit.append({ kind: 'operator', body: { act: 'secret unset', package: packageId, slot, by } });
      const gone = await vault.unset(packageId, slot);
      if (gone) changed();
      return gone;
    },
    async rekey({ to, passphrase, by }) {
      await audit.append({ kind: 'operator', body: { act: 'secret rekey', to, by } });
      await vault.rekey(to, passphrase);
    },
  };
}
