// The token or key by which the host knows one client. It is created only after a person agreed to the change.
import { basename } from 'node:path';
import type { Operator, RemoteHost, TokenEntry, TokenKind } from '../../host/host.js';
import type { Arguments } from '../cli/command/command.js';
import { terminalOperator } from '../cli/terminal/operator.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { withHost } from '../cli/with-host.js';
import type { Client, ConfigScope } from './client.js';

/** Whose credential it is. */
export interface CredentialOwner {
  readonly client: Client;
  readonly scope: ConfigScope;
  /** Name of the server entry. */
  readonly name: string;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

export interface CredentialRequest {
  readonly kind: TokenKind;
  readonly mayApprove: boolean;
  /** The credential that it replaces, whose principal it gets. */
  readonly known: TokenEntry | null;
}

/** The entry of a token or key; null if it is not valid or of another kind. */
export async function knownCredential(
  { args, terminal }: CredentialOwner,
  secret: string | undefined,
  kind: TokenKind,
): Promise<TokenEntry | null> {
  if (secret === undefined) return null;
  const known = await withHost(args, terminal, (host) => host.tokens.check(secret));
  return known?.kind === kind ? known : null;
}

/** Creates a token or key and writes it with `write`. Revokes it if writing fails; else revokes the one it replaces. */
export async function issueCredential<T>(
  owner: CredentialOwner,
  request: CredentialRequest,
  write: (secret: string) => Promise<T>,
): Promise<{ readonly id: string; readonly written: T }> {
  const { args, terminal } = owner;
  return withHost(args, terminal, async (host) =>
    issueCredentialAt(host, await terminalOperator(host, args, terminal), owner, request, write),
  );
}

/** The same with an open host, by an operator whose PIN is known. */
export async function issueCredentialAt<T>(
  host: RemoteHost,
  by: Operator,
  owner: CredentialOwner,
  { kind, mayApprove, known }: CredentialRequest,
  write: (secret: string) => Promise<T>,
): Promise<{ readonly id: string; readonly written: T }> {
  const { terminal } = owner;
  const { entry, token } = await host.tokens.create({
    ...{ kind, mayApprove, role: 'agent', expiresAt: null },
    name: known?.name ?? (await freeName(host, owner, kind)),
    ...(kind === 'stdio' ? { user: terminal.principal.split('/', 1)[0] } : {}),
    ...(known === null ? {} : { replaces: known.id }),
    by,
  });
  let written: T;
  try {
    written = await write(token);
  } catch (error) {
    await host.tokens.revoke(entry.id, terminal.principal);
    throw error;
  }
  if (known !== null) await host.tokens.revoke(known.id, terminal.principal);
  return { id: entry.id, written };
}

export async function revokeCredential(
  { args, terminal }: CredentialOwner,
  secret: string | undefined,
): Promise<void> {
  if (secret === undefined) return;
  await withHost(args, terminal, async (host) => {
    const known = await host.tokens.check(secret);
    if (known !== null) await host.tokens.revoke(known.id, terminal.principal);
  });
}

/** The client, the project and the entry, with a number if another credential has that name. */
async function freeName(
  host: RemoteHost,
  { client, scope, name, terminal }: CredentialOwner,
  kind: TokenKind,
): Promise<string> {
  const project = scope !== 'user' ? basename(terminal.cwd).replace(/[^A-Za-z0-9._-]+/g, '-') : '';
  const parts = [client.name, project, name === 'toolwharf' ? '' : name];
  const base = parts.filter((it) => it !== '').join('-');
  const taken = new Set((await host.tokens.list()).filter((it) => it.kind === kind).map((it) => it.name));
  let free = base;
  for (let number = 2; taken.has(free); number++) free = `${base}-${number}`;
  return free;
}
