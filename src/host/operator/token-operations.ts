import { randomBytes } from 'node:crypto';
import { HostError } from '../../model/host-error.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { TokenTable } from '../../store/state-tables.js';
import type { TokenEntry, TokenInput, TokenKind, TokenRole, Tokens } from './operator.js';
import type { OperatorAuth } from './operator-auth.js';
import type { TokenCache } from './token-cache.js';

export interface TokenServices {
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Called after a token was revoked. */
  readonly onRevoked: () => Promise<void>;
}

/** Creates and revokes the tokens of HTTP clients and the keys of stdio clients, with audit entries. */
export function tokenOperations(
  tokens: TokenCache,
  audit: AuditLog,
  operatorAuth: OperatorAuth,
  { newId, now, onRevoked }: TokenServices,
): Tokens {
  return {
    async create(input) {
      const wantedPrincipal = principalFor(input);
      const { name, role, by, kind = 'http', mayApprove = false, replaces } = input;
      const byDefault = kind === 'http' ? now() + defaultLifetimeMs : null;
      const expiresAt = input.expiresAt === undefined ? byDefault : input.expiresAt;
      const id = newId('tok');
      const token = `${prefixes[kind]}${randomBytes(32).toString('base64url')}`;
      const who = await operatorAuth.verify(by, 'create a token');
      await audit.append({
        kind: 'operator',
        body: {
          ...{ operation: 'token create', token: id, kind, name, role, mayApprove },
          ...(replaces === undefined ? {} : { replaces }),
          ...who,
        },
      });
      const row = await tokens.add(
        {
          ...{ id, kind, name, role, wantedPrincipal, replaces },
          may_approve: mayApprove ? 1 : 0,
          expires_at: expiresAt,
          created_by: who.by,
        },
        token,
      );
      if (row === undefined)
        throw new HostError('not_found', 'there is no such token to replace', {
          hint: 'create the token without "replaces"; see "toolwharf token list"',
        });
      return { entry: tokenEntryOf(row), token };
    },
    list: async () => (await tokens.list()).map(tokenEntryOf),
    async revoke(id, by) {
      await audit.append({ kind: 'operator', body: { operation: 'token revoke', token: id, by } });
      const isRemoved = await tokens.remove(id);
      await onRevoked();
      return isRemoved;
    },
    async check(token) {
      const row = await tokens.find(token);
      return row === undefined ? null : tokenEntryOf(row);
    },
    async checkExpired(token) {
      const row = await tokens.findExpired(token);
      return row === undefined ? null : tokenEntryOf(row);
    },
    onRevoke: (listener) => tokens.onRemove(listener),
  };
}

/** 90 days. */
const defaultLifetimeMs = 90 * 86_400_000;

const prefixes: Readonly<Record<TokenKind, string>> = { http: 'tw_', stdio: 'twc_' };

export function tokenEntryOf(row: TokenTable): TokenEntry {
  return {
    id: row.id,
    kind: row.kind as TokenKind,
    name: row.name,
    role: row.role as TokenRole,
    principal: row.principal,
    mayApprove: row.may_approve === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

/** The principal that a new token gets if it is still free. Throws if the members do not fit together. */
function principalFor({ kind = 'http', name, role, user, expiresAt }: TokenInput): string {
  if (name === '' || name.includes('#'))
    throw new HostError('invalid_input', `${JSON.stringify(name)} is not a valid token name`, {
      hint: 'use a name that is not empty and has no #',
    });
  if (kind === 'http') {
    if (user !== undefined)
      throw new HostError('invalid_input', 'only the key of a stdio client has a "user"');
    return `http/${name}`;
  }
  if (user === undefined || user === '' || /[/#]/.test(user))
    throw new HostError('invalid_input', 'the key of a stdio client needs a "user" without / and #');
  // A connection over stdio has no end of its own, and is not the operator's way to the host.
  if (role !== 'agent' || (expiresAt !== null && expiresAt !== undefined))
    throw new HostError('invalid_input', 'the key of a stdio client has the role agent and does not expire');
  return `${user}/mcp/${name}`;
}
