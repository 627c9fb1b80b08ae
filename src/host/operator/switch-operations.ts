import type { AgreementRows } from '../../store/agreements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { DisabledPackages } from '../../store/disabled-packages.js';
import type { Switches } from './operator.js';
import type { OperatorAuth } from './operator-auth.js';
import { actorName } from './pin-auth.js';

/** Enables and disables packages, with audit entries. */
export function switchOperations(
  { switches, notifyChanged }: { readonly switches: DisabledPackages; readonly notifyChanged: () => void },
  agreements: Pick<AgreementRows, 'packages'>,
  audit: AuditLog,
  operatorAuth: OperatorAuth,
): Switches {
  return {
    known: () => agreements.packages(),
    disabled: () => switches.list(),
    async set(packageId, enabled, by) {
      // Disabling a package never needs the PIN.
      const who = enabled ? await operatorAuth.verify(by, 'enable a package') : { by: actorName(by) };
      const body = { operation: enabled ? 'enable' : 'disable', package: packageId, ...who };
      await audit.append({ kind: 'operator', body });
      const changed = await switches.set(packageId, enabled, who.by);
      if (changed) notifyChanged();
      return changed;
    },
  };
}
