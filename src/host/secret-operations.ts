import { existsSync } from 'node:fs';
import { HostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import { readRequest } from '../policy/request.js';
import { brokerEntry } from '../secrets/broker.js';
import type { AgreementRows } from '../store/agreements.js';
import type { AuditLog } from '../store/audit.js';
import type { Invalidate } from './approval-operations.js';
import type { Host } from './host.js';
import type { HostServices } from './host-services.js';
import type { OperatorAuth } from './operator-auth.js';

/** Values go in; who did what is on record, what the value is never is. */
export function secretOperations(
  { vault, changed }: Pick<HostServices, 'vault' | 'changed'>,
  audit: AuditLog,
  desk: OperatorAuth,
  invalidate: Invalidate,
  pins: Pick<AgreementRows, 'manifestsOf' | 'requestsOf'>,
): Host['secrets'] {
  const outdate = (packageId: string, slot: string) =>
    invalidate({ package: packageId }, `the value for ${slot} of ${packageId} was changed`);
  return {
    async set({ by, ...entry }) {
      const { package: packageId, slot, audience } = entry;
      const who = await desk.verify(by, 'set a value');
      if (audience.kind === 'manifest') assertOne(entry, await pins.manifestsOf(packageId));
      await audit.append({
        kind: 'operator',
        body: { act: 'secret set', package: packageId, slot, audience: audience as unknown as Json, ...who },
      });
      await outdate(packageId, slot);
      const made = await vault.set(entry);
      changed();
      return made;
    },
    list: () => vault.list(),
    slots: (packageId) => slotsOf(packageId, pins),
    async unset(packageId, slot, by) {
      const who = await desk.verify(by, 'forget a value');
      await audit.append({
        kind: 'operator',
        body: { act: 'secret unset', package: packageId, slot, ...who },
      });
      await outdate(packageId, slot);
      const gone = await vault.unset(packageId, slot);
      if (gone) changed();
      return gone;
    },
    async rekey({ to, passphrase, by }) {
      const who = await desk.verify(by, 'give the key of the vault to another keeper');
      await audit.append({ kind: 'operator', body: { act: 'secret rekey', to, ...who } });
      await vault.rekey(to, passphrase);
    },
  };
}

/** By what was agreed to: a slot that an edit added is not there before somebody agreed to that edit. */
async function slotsOf(
  packageId: string,
  pins: Pick<AgreementRows, 'requestsOf'>,
): Promise<readonly string[] | null> {
  // The host's own entries.
  if (packageId.startsWith('@')) return packageId === brokerEntry.package ? [brokerEntry.slot] : [];
  const requests = (await pins.requestsOf(packageId)).map(readRequest);
  if (requests.length === 0 || requests.includes(undefined)) return null;
  return [...new Set(requests.flatMap((it) => it?.slots.map((slot) => slot.name) ?? []))].sort();
}

/**
 * Where several packages have one id, each of them could name whom the value may go to, and all would get it. Then the
 * operator says so; one that turns up later is held anyway.
 */
function assertOne(
  { package: packageId, slot }: { readonly package: string; readonly slot: string },
  manifests: readonly string[],
): void {
  const there = manifests.filter((it) => existsSync(it));
  if (there.length < 2) return;
  throw new HostError(
    'usage',
    `${there.length} packages are called ${packageId}, and all of them would get the value: ${there.join(', ')}`,
    {
      hint: `say which hosts it may go to: toolwharf secret set ${packageId} ${slot} --host HOST; or remove the one that you do not use`,
    },
  );
}
