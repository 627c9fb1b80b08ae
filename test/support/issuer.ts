// An identity provider for tests on a free loopback port: it publishes keys and signs tokens.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { guardedClient } from '../../src/net/http-client.js';
import { fetchDocument } from '../../src/net/published-document.js';

export interface TestKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: GenerateKeyPairResult['privateKey'];
  readonly published: JWK;
}

export interface Issuer {
  readonly url: string;
  readonly port: number;
  readonly key: TestKey;
  /** The currently published keys. */
  keys: unknown;
  /** The discovery document. */
  document: unknown;
  /** If true, every request fails. */
  down: boolean;
  /** How often the keys were fetched. */
  fetched: number;
  /** A valid token, with the given claims, key or header replaced. */
  token(claims?: JWTPayload, signed?: { key?: TestKey; header?: Record<string, unknown> }): Promise<string>;
  /** Uses the guarded client with the grant that a loopback address needs. */
  read(url: string): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
}

export const audience = 'https://tools.example.com/mcp';

export async function newKey(kid: string, alg = 'ES256'): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export async function openIssuer(now: () => number): Promise<Issuer> {
  const key = await newKey('first');
  const server = createServer((request, response) => {
    if (made.down) {
      response.writeHead(500).end();
      return;
    }
    if (request.url === '/keys') made.fetched++;
    const found =
      request.url === '/.well-known/openid-configuration'
        ? made.document
        : request.url === '/keys'
          ? made.keys
          : undefined;
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(typeof found === 'string' ? found : JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const made: Issuer = {
    url,
    port,
    key,
    keys: { keys: [key.published] },
    document: { issuer: url, jwks_uri: `${url}/keys` },
    down: false,
    fetched: 0,
    token: (claims = {}, { key: by = key, header = {} } = {}) => {
      const seconds = Math.floor(now() / 1000);
      return new SignJWT({
        iss: url,
        aud: audience,
        sub: 'alice',
        scope: 'tools',
        iat: seconds,
        exp: seconds + 300,
        ...claims,
      })
        .setProtectedHeader({ alg: by.alg, kid: by.kid, typ: 'at+jwt', ...header })
        .sign(by.privateKey);
    },
    read: (place) =>
      fetchDocument({
        client: guardedClient(),
        url: place,
        granted: [{ host: '127.0.0.1', port }],
        signal: new AbortController().signal,
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return made;
}
