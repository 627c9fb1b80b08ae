import { existsSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { notifySecretOwner } from '../../model/notify-target.js';
import type { Package } from '../../model/package.js';
import { parseRequest } from '../../policy/review/request.js';
import { declaredValues } from '../../secrets/declared-value.js';
import { modelKeyEntry } from '../../secrets/model-key.js';
import { registryTokenOwner } from '../../secrets/registry-token.js';
import { oauthClientPackage, signedInProgram } from '../../secrets/sign-in-record.js';
import { brokerKeyEntry } from '../../secrets/token-broker.js';
import type { Vault } from '../../secrets/vault.js';
import type { AgreementRows } from '../../store/agreements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Host } from '../host.js';
import type { Invalidate } from './approval-operations.js';
import type { OperatorAuth } from './operator-auth.js';

export interface SecretOperationServices {
  readonly vault: Vault;
  readonly notifyChanged: () => void;
  /** Packages as they were accepted. Null: all of them. */
  readonly acceptedPackages: (packageId: string | null) => Promise<readonly Package[]>;
}

/** Operations on secrets. The audit log gets who set which slot, never the value. */
export function secretOperations(
  { vault, notifyChanged, acceptedPackages }: SecretOperationServices,
  audit: AuditLog,
  operatorAuth: OperatorAuth,
  invalidate: Invalidate,
  agreements: Pick<AgreementRows, 'manifestsOf' | 'requestsOf'>,
): Host['secrets'] {
  const voidApprovals = (packageId: string, slot: string) =>
    invalidate({ package: packageId }, `the value for ${slot} of ${packageId} was changed`);
  return {
    async set({ by, ...entry }) {
      const { package: packageId, slot, audience } = entry;
      const who = await operatorAuth.verify(by, 'set a value');
      if (signedInProgram(slot) !== undefined)
        throw new HostError('usage', 'a sign-in is not set by hand', {
          hint: `sign in: toolwharf sign-in ${packageId}`,
        });
      if (audience.kind === 'manifest') assertUniqueId(entry, await agreements.manifestsOf(packageId));
      await assertValid(entry, await acceptedPackages(packageId));
      await audit.append({
        kind: 'operator',
        body: {
          operation: 'secret set',
          package: packageId,
          slot,
          audience: audience as unknown as Json,
          ...who,
        },
      });
      await voidApprovals(packageId, slot);
      const stored = await vault.set(entry);
      notifyChanged();
      return stored;
    },
    list: () => vault.list(),
    slots: (packageId) => slotsOf(packageId, agreements),
    async declared(packageId) {
      const stored = await vault.list();
      const packages = await acceptedPackages(packageId ?? null);
      return declaredValues(packages, (id, slot) =>
        stored.some((it) => it.package === id && it.slot === slot),
      );
    },
    async unset(packageId, slot, actor) {
      const who = await operatorAuth.verify(actor, 'delete a value');
      await audit.append({
        kind: 'operator',
        body: { operation: 'secret unset', package: packageId, slot, ...who },
      });
      await voidApprovals(packageId, slot);
      const removed = await vault.unset(packageId, slot);
      if (removed) notifyChanged();
      return removed;
    },
    async rekey({ to, passphrase, by }) {
      const who = await operatorAuth.verify(by, 'move the vault key');
      await audit.append({ kind: 'operator', body: { operation: 'secret rekey', to, ...who } });
      await vault.rekey(to, passphrase);
    },
  };
}

/** Checks a value when it is set, not only when a call needs it. Messages never contain the value. */
async function assertValid(
  { package: packageId, slot: name, value }: { package: string; slot: string; value: string },
  packages: readonly Package[],
): Promise<void> {
  const slots = packages.flatMap((it) => it.slots.filter((slot) => slot.name === name));
  if (slots.length === 0) return;
  const { valueProblem } = await import('../../secrets/value-check.js');
  for (const slot of slots) {
    const problem = valueProblem(slot, value);
    if (problem === undefined) continue;
    throw new HostError('invalid_input', `the value for ${packageId} is not valid: ${problem}`, {
      hint:
        slot.obtainUrl === undefined
          ? 'nothing was changed'
          : `nothing was changed; get it at ${slot.obtainUrl}`,
    });
  }
}

/** From the agreements: a slot that an edit adds exists only after the edit is accepted. */
async function slotsOf(
  packageId: string,
  agreements: Pick<AgreementRows, 'requestsOf'>,
): Promise<readonly string[] | null> {
  // Ids with `@` are entries of the host itself. The configuration names those for notices and registries; each issuer can have one.
  if ([notifySecretOwner, oauthClientPackage, registryTokenOwner].includes(packageId)) return null;
  if (packageId.startsWith('@'))
    return [brokerKeyEntry, modelKeyEntry].flatMap((it) => (it.package === packageId ? [it.slot] : []));
  const requests = (await agreements.requestsOf(packageId)).map(parseRequest);
  if (requests.length === 0 || requests.includes(undefined)) return null;
  return [...new Set(requests.flatMap((it) => it?.slots.map((slot) => slot.name) ?? []))].sort();
}

/**
 * If several packages share an id, each manifest could name recipients for the value, and all packages would get it. Then
 * the operator must name the hosts. A package that appears later needs a review anyway.
 */
function assertUniqueId(
  { package: packageId, slot }: { readonly package: string; readonly slot: string },
  manifests: readonly string[],
): void {
  const present = manifests.filter((it) => existsSync(it));
  if (present.length < 2) return;
  throw new HostError(
    'usage',
    `${present.length} packages have the id ${packageId}, and all of them would get the value: ${present.join(', ')}`,
    {
      hint: `name the hosts that may receive it: toolwharf secret set ${packageId} ${slot} --host HOST; or remove the package that you do not use`,
    },
  );
}
