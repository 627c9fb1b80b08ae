import type { AuditVerdict } from '../../model/audit.js';
import { HostError } from '../../model/host-error.js';
import { checkpointPaths } from '../../store/checkpoints.js';
import { StoredAuditLog } from '../../store/stored-audit-log.js';
import type { AuditLocations, Check } from '../host.js';
import { readableAnchorPlaces } from '../operator/anchor-places.js';

const id = 'audit';

/** Verifies the audit log, also against its anchors. Works next to a running host. */
export async function checkAudit(state: string, audit: AuditLocations | undefined): Promise<Check> {
  try {
    const places = readableAnchorPlaces(state, audit);
    const log = StoredAuditLog.open(state, checkpointPaths(state, audit), { places });
    const verdict = await log.verify().finally(() => log.close());
    return auditCheck(verdict, audit !== undefined);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { message, hint = 'toolwharf audit verify' } = error;
    return { id, status: 'fail', message, fix: hint };
  }
}

/** `hasSettings`: it is known where anchors of the log are. `fix`: what to do if there is none. */
export function auditCheck(
  { ok, entries, checkpoints, anchors, problem, warnings = [] }: AuditVerdict,
  hasSettings: boolean,
  fix = 'run a host once; see audit.anchor_dir in docs/config.md',
): Check {
  if (!ok)
    return {
      id,
      status: 'fail',
      message: `the audit log is not intact: ${problem}`,
      fix: 'toolwharf audit verify',
    };
  const intact = `the audit log is intact: ${entries} entries`;
  if (warnings.length > 0)
    return {
      id,
      status: 'warn',
      message: `${intact}; ${warnings.join('; ')}`,
      fix: 'toolwharf audit verify',
    };
  if (anchors > 0)
    return { id, status: 'ok', message: `${intact}; an anchor outside the state directory agrees` };
  if (checkpoints === 0 || !hasSettings) return { id, status: 'ok', message: intact };
  return {
    id,
    status: 'warn',
    message: `${intact}; but no anchor outside the state directory would show if it was rolled back`,
    fix,
  };
}
