// Who may use a registry server: tokens in one file, of which only the digests are stored. Signatures decide what may be
// published; a token only decides who may send something.
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/atomic-file.js';
import { makeFolder } from '../../files/make-folder.js';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import { isNamespace } from '../names/package-name.js';

export const registryTokenRoles = ['publish', 'read'] as const;
export type RegistryTokenRole = (typeof registryTokenRoles)[number];

export interface RegistryToken {
  readonly id: string;
  readonly name: string;
  readonly role: RegistryTokenRole;
  /** Where it may publish. Empty for readers. */
  readonly namespaces: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewRegistryToken {
  readonly name: string;
  readonly role: RegistryTokenRole;
  readonly namespaces: readonly string[];
  readonly lifetimeMs: number;
}

interface StoredToken extends RegistryToken {
  readonly digest: string;
}

const fileName = 'tokens.json';
const maxTokens = 10_000;

export class PublisherTokens {
  readonly #folder: string;
  readonly #now: () => number;
  #known: { readonly stamp: string; readonly tokens: readonly StoredToken[] } | undefined;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  /** The token is shown once; it cannot be read again. */
  create({ name, role, namespaces, lifetimeMs }: NewRegistryToken): { token: string; entry: RegistryToken } {
    const wrong = namespaces.find((it) => !isNamespace(it));
    if (wrong !== undefined)
      throw new HostError('usage', `${JSON.stringify(wrong)} is not the name of a namespace`);
    if (role === 'publish' && namespaces.length === 0)
      throw new HostError('usage', 'name the namespaces in which this token may publish', {
        hint: 'toolwharf registry token create NAME NAMESPACE…; for a token that only reads: --read',
      });
    const tokens = this.#read();
    if (tokens.length >= maxTokens)
      throw new HostError('usage', `this registry has ${maxTokens.toLocaleString('en')} tokens already`);
    if (tokens.some((it) => it.name === name))
      throw new HostError('usage', `there is a token named ${name} already`, {
        hint: 'choose another name, or revoke it first',
      });
    const token = `twr_${randomBytes(32).toString('base64url')}`;
    const createdAt = this.#now();
    const entry: RegistryToken = {
      id: randomBytes(6).toString('hex'),
      ...{ name, role, namespaces, createdAt },
      expiresAt: createdAt + lifetimeMs,
    };
    this.#write([...tokens, { ...entry, digest: sha256(token) }]);
    return { token, entry };
  }

  list(): RegistryToken[] {
    return this.#read().map(({ digest: _, ...entry }) => entry);
  }

  /** By its name or id. */
  revoke(name: string): void {
    const tokens = this.#read();
    const kept = tokens.filter((it) => it.name !== name && it.id !== name);
    if (kept.length === tokens.length)
      throw new HostError('not_found', `this registry has no token ${JSON.stringify(name)}`, {
        hint: 'see "toolwharf registry token list"',
      });
    this.#write(kept);
  }

  /** Undefined: unknown or expired. Looked up by its digest, so that the time of a comparison reveals nothing. */
  find(token: string): RegistryToken | undefined {
    const digest = sha256(token);
    const found = this.#read().find((it) => it.digest === digest);
    return found !== undefined && found.expiresAt > this.#now() ? found : undefined;
  }

  /** The file is read again when it changes, so that a revoked token ends at once in a running server. */
  #read(): readonly StoredToken[] {
    const path = join(this.#folder, fileName);
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return [];
    const stamp = `${stats.mtimeNs} ${stats.ino} ${stats.size}`;
    if (this.#known?.stamp !== stamp) this.#known = { stamp, tokens: parseTokens(readFileSync(path), path) };
    return this.#known.tokens;
  }

  #write(tokens: readonly StoredToken[]): void {
    makeFolder(this.#folder, 0o700);
    const text = `${JSON.stringify({ tokens }, null, 1)}\n`;
    replaceFile(join(this.#folder, fileName), text, { mode: 0o600, flush: 'folder' });
    this.#known = undefined;
  }
}

function parseTokens(bytes: Buffer, path: string): readonly StoredToken[] {
  const value = tryParseBounded(bytes.toString('utf8'), documentLimits);
  const tokens = isObject(value) ? value.tokens : undefined;
  if (!Array.isArray(tokens) || !tokens.every(isStoredToken))
    throw new HostError('invalid_config', `the tokens of the registry in ${path} cannot be read`, {
      hint: 'restore the file from a copy, or delete it and create new tokens',
    });
  return tokens as unknown as readonly StoredToken[];
}

function isStoredToken(value: Json): boolean {
  return (
    isObject(value) &&
    [value.id, value.name, value.digest].every((it) => typeof it === 'string') &&
    [value.createdAt, value.expiresAt].every((it) => typeof it === 'number') &&
    registryTokenRoles.some((it) => it === value.role) &&
    Array.isArray(value.namespaces) &&
    value.namespaces.every((it) => typeof it === 'string')
  );
}
