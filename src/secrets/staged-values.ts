import type { SealedRow, ValueInput, Vault } from './vault.js';

/** Values that only one session sees, until the change that they belong to is in force. */
export interface StagedValues {
  /** The vault with these values in place of the stored ones. */
  readonly vault: Vault;
  /** The values, encrypted as the next versions of the stored ones. */
  seal(): Promise<readonly SealedRow[]>;
  /** Forgets them. */
  end(): void;
}

/** Stages values of a package. They are in memory only, so a killed host leaves the stored ones in force. */
export function stageValues(vault: Vault, values: readonly ValueInput[], now: () => number): StagedValues {
  const find = (packageId: string, slot: string) =>
    values.find((it) => it.package === packageId && it.slot === slot);
  const end = vault.alsoHide(
    values.map(({ package: packageId, slot, value }) => ({ package: packageId, slot, value })),
  );
  return {
    vault: {
      ...vault,
      async list() {
        const stored = (await vault.list()).filter((it) => find(it.package, it.slot) === undefined);
        const staged = values.map((it) => ({
          ...{ package: it.package, slot: it.slot, audience: it.audience, setAt: now() },
        }));
        return [...stored, ...staged].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      },
      async value(packageId, slot) {
        const staged = find(packageId, slot);
        if (staged === undefined) return vault.value(packageId, slot);
        return { value: staged.value, audience: staged.audience, version: 0 };
      },
    },
    async seal() {
      const rows: SealedRow[] = [];
      for (const it of values) rows.push(await vault.seal(it));
      return rows;
    },
    end,
  };
}

function keyOf(it: { readonly package: string; readonly slot: string }): string {
  return `${it.package}\0${it.slot}`;
}
