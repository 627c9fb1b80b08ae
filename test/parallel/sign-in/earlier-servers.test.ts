// Signing in to servers of the revision 2025-03-26, which are their own authorization servers.
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import {
  type EarlierServer,
  earlierServer,
  type OAuthServer,
  oauthServer,
} from '../../support/oauth-server.js';
import { loopbackServer } from '../../support/toolwharf.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const redirectUri = 'http://127.0.0.1:45902/callback';
const say = { tool: 'desk/say', arguments: { text: 'hello' } };
let bench: Workbench;
let authority: OAuthServer;
let server: EarlierServer;

beforeEach(async () => {
  authority = await oauthServer();
  authority.redirect = { iss: undefined };
  server = await earlierServer(authority);
  bench = await workbench({ ...manifestFor(server.url) });
});
afterEach(async () => {
  await bench.close();
  await server.close();
  await authority.close();
  expect(bench.bugs).toEqual([]);
});
afterAll(closeUpstreams);

function manifestFor(url: string): Record<string, string> {
  return { 'desk/toolwharf-mcp.json': JSON.stringify({ schema: 'toolwharf/mcp@1', name: 'desk', url }) };
}

/** Only the server itself may be reached, not the authorization server behind it. */
const open = (url = server.url) => bench.session({ allow: [`net:127.0.0.1:${new URL(url).port}`] });

async function signIn(use: Session, issuer: string): Promise<void> {
  const { id, url } = await use.signIns.begin({ package: 'desk', issuer, redirectUri, by: 'operator' });
  expect(new URL(url).origin).toBe(server.origin);
  expect(new URL(url).searchParams.get('resource')).toBe(server.url);
  expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256');
  await use.signIns.finish({ id, callback: await authority.approve(url) });
}

test.each([
  ['with metadata at its origin', true],
  ['without any metadata', false],
])('a server %s: a person signs in, and its tools can be called', async (_name, hasMetadata) => {
  server.hasMetadata = hasMetadata;
  const use = await open();
  const { issuers } = await use.signIns.check({ package: 'desk' });
  expect(issuers).toEqual([hasMetadata ? `${server.origin}/` : server.origin]);
  const { places } = await use.signIns.check({ package: 'desk', issuer: issuers[0] as string });
  expect(places).toEqual([new URL(server.origin).host]);
  await signIn(use, issuers[0] as string);
  expect(JSON.stringify(await resultOf(use.call(say)))).toContain('hello');
  expect(authority.count('/register')).toBe(1);
  // The token is renewed at the same place.
  authority.expire();
  expect(JSON.stringify(await resultOf(use.call(say)))).toContain('hello');
});

const wrong: readonly (readonly [string, () => Record<string, unknown>, string])[] = [
  ['of another issuer', () => ({ issuer: 'https://auth.example.com' }), 'another authorization server'],
  ['of a path', () => ({ issuer: `${server.origin}/tenant` }), 'another authorization server'],
  [
    'with a token endpoint elsewhere',
    () => ({ token_endpoint: `${authority.issuer}/token` }),
    'at another host',
  ],
  [
    'with a page elsewhere',
    () => ({ authorization_endpoint: 'https://evil.example.com/' }),
    'at another host',
  ],
  ['without PKCE', () => ({ code_challenge_methods_supported: undefined }), 'S256'],
];
test.each(wrong)('metadata %s is not used', async (_name, change, message) => {
  const use = await open();
  const issuer = `${server.origin}/`;
  // The control: without the change it is used.
  expect((await use.signIns.check({ package: 'desk', issuer })).places).toHaveLength(1);
  server.metadata = change();
  const begun = use.signIns.begin({ package: 'desk', issuer, redirectUri, by: 'operator' });
  await expect(begun).rejects.toMatchObject({ message: expect.stringContaining(message) });
  expect(authority.count('/register')).toBe(0);
});

test('a server that answers 401 and has no token endpoint does not say where to sign in', async () => {
  const plain = await loopbackServer((request, response) => {
    response.writeHead(request.url === '/mcp' ? 401 : 404, { 'content-type': 'application/json' });
    response.end('{}');
  });
  const url = `http://127.0.0.1:${plain.port}/mcp`;
  bench.write(manifestFor(url));
  await expect((await open(url)).signIns.check({ package: 'desk' })).rejects.toMatchObject({
    code: 'not_supported',
    message: expect.stringContaining('does not say where to sign in'),
  });
  await plain.close();
});

test('a server whose challenge names an address of metadata must have it there', async () => {
  const announced = await loopbackServer((request, response) => {
    const origin = `http://127.0.0.1:${announced.port}`;
    const challenge = `Bearer resource_metadata="${origin}/missing"`;
    if (request.url === '/mcp') response.writeHead(401, { 'www-authenticate': challenge });
    else response.writeHead(request.url === '/token' ? 400 : 404, { 'content-type': 'application/json' });
    response.end('{"error":"invalid_request"}');
  });
  const url = `http://127.0.0.1:${announced.port}/mcp`;
  bench.write(manifestFor(url));
  const use = await open(url);
  await expect(use.signIns.check({ package: 'desk' })).rejects.toMatchObject({ code: 'not_supported' });
  expect(announced.requests.map((it) => it.url)).not.toContain('/token');
  await announced.close();
});
