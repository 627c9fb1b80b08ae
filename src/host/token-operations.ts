import { randomBytes } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import type { AuditLog } from '../store/audit.js';
import type { HostServices } from './host-services.js';
import type { TokenRole, Tokens } from './operator.js';
import type { OperatorAuth } from './operator-auth.js';

/** Who may come in over HTTP: made and revoked, on record. */
export function tokenOperations(
  { tokens }: HostServices,
  audit: AuditLog,
  desk: OperatorAuth,
  newId: (prefix: string) => string,
): Tokens {
  const shown = ({
    id,
    name,
    role,
    created_at,
    expires_at,
    named,
  }: Awaited<ReturnType<typeof tokens.list>>[number]) => ({
    id,
    name,
    role: role as TokenRole,
    // Under the name alone, calls of its first token are held and allowed.
    principal: named ? `http/${name}` : `http/${name}#${id}`,
    createdAt: created_at,
    expiresAt: expires_at,
  });
  return {
    async create({ name, role, expiresAt, by }) {
      if (name === '' || name.includes('#'))
        throw new HostError('invalid_input', `${JSON.stringify(name)} cannot be the name of a token`, {
          hint: 'leave out the #, which stands before the id of a token',
        });
      const id = newId('tok');
      const token = `tw_${randomBytes(32).toString('base64url')}`;
      const who = await desk.verify(by, 'make a token');
      await audit.append({ kind: 'operator', body: { act: 'token create', token: id, name, role, ...who } });
      const row = await tokens.add({ id, name, role, expires_at: expiresAt, created_by: who.by }, token);
      return { entry: shown(row), token };
    },
    list: async () => (await tokens.list()).map(shown),
    async revoke(id, by) {
      await audit.append({ kind: 'operator', body: { act: 'token revoke', token: id, by } });
      return tokens.remove(id);
    },
    async check(token) {
      const row = await tokens.find(token);
      return row === undefined ? undefined : shown(row);
    },
  };
}
