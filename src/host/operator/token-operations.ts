import { randomBytes } from 'node:crypto';
import { HostError } from '../../model/host-error.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { TokenRole, Tokens } from './operator.js';
import type { OperatorAuth } from './operator-auth.js';
import type { TokenCache } from './token-cache.js';

/** Creates and revokes the tokens for access over HTTP, with audit entries. */
export function tokenOperations(
  tokens: TokenCache,
  audit: AuditLog,
  operatorAuth: OperatorAuth,
  newId: (prefix: string) => string,
): Tokens {
  const toEntry = ({
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
    // The first token of a name is the principal `http/NAME`; later ones of the same name get their id added.
    principal: named ? `http/${name}` : `http/${name}#${id}`,
    createdAt: created_at,
    expiresAt: expires_at,
  });
  return {
    async create({ name, role, expiresAt, by }) {
      if (name === '' || name.includes('#'))
        throw new HostError('invalid_input', `${JSON.stringify(name)} is not a valid token name`, {
          hint: 'use a name that is not empty and has no #',
        });
      const id = newId('tok');
      const token = `tw_${randomBytes(32).toString('base64url')}`;
      const who = await operatorAuth.verify(by, 'create a token');
      await audit.append({
        kind: 'operator',
        body: { operation: 'token create', token: id, name, role, ...who },
      });
      const row = await tokens.add({ id, name, role, expires_at: expiresAt, created_by: who.by }, token);
      return { entry: toEntry(row), token };
    },
    list: async () => (await tokens.list()).map(toEntry),
    async revoke(id, by) {
      await audit.append({ kind: 'operator', body: { operation: 'token revoke', token: id, by } });
      return tokens.remove(id);
    },
    async check(token) {
      const row = await tokens.find(token);
      return row === undefined ? null : toEntry(row);
    },
  };
}
