import type { AuditLog } from '../../store/audit-log.js';
import type { StoredRollback } from '../../store/audit-rollback.js';
import type { Database } from '../../store/database.js';
import type { Rollbacks } from './operator.js';
import type { OperatorAuth } from './operator-auth.js';

/** Operations on what the host found about a rollback of the audit log. */
export function rollbackOperations(
  database: Database,
  audit: AuditLog,
  operatorAuth: Pick<OperatorAuth, 'verify'>,
): Rollbacks {
  const open = async (): Promise<StoredRollback[]> =>
    (await database.audit.rollbacks()).filter((it) => !it.isAcknowledged);
  return {
    async list() {
      return (await open()).map(({ seq, at, kind, message }) => ({
        entry: seq,
        at: Date.parse(at),
        kind,
        message,
      }));
    },
    async acknowledge(entry, actor) {
      const who = await operatorAuth.verify(actor, 'acknowledge a rollback of the audit log');
      if (!(await open()).some((it) => it.seq === entry)) return false;
      await audit.append({ kind: 'rollback', body: { acknowledges: entry, ...who } });
      return true;
    },
  };
}
