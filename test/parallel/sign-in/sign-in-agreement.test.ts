// What a person agreed to is what happens: where the browser goes, and which scopes are requested.
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session, SignInBegin } from '../../../src/index.js';
import { parseArguments } from '../../../src/serve/cli/command/arguments.js';
import { signInCommand } from '../../../src/serve/cli/commands/sign-in.js';
import { agreedSignIn } from '../../../src/serve/cli/sign-in/sign-in-agreement.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import {
  type OAuthServer,
  oauthServer,
  type ProtectedServer,
  protectedServer,
} from '../../support/oauth-server.js';
import { testTerminal } from '../../support/terminal.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const redirectUri = 'http://127.0.0.1:45903/callback';
let bench: Workbench;
let authority: OAuthServer;
let server: ProtectedServer;
let session: Session;

beforeEach(async () => {
  authority = await oauthServer();
  server = await protectedServer(authority);
  const manifest = { schema: 'toolwharf/mcp@1', name: 'desk', url: server.url };
  bench = await workbench({ 'desk/toolwharf-mcp.json': JSON.stringify(manifest) });
  const allow = [server.url, authority.issuer].map((it) => `net:${new URL(it).host}`);
  session = await bench.session({ allow });
});
afterEach(async () => {
  await bench.close();
  await authority.close();
  expect(bench.bugs).toEqual([]);
});
afterAll(closeUpstreams);

const begin = (more: Partial<SignInBegin> = {}) =>
  session.signIns.begin({ package: 'desk', issuer: authority.issuer, redirectUri, by: 'operator', ...more });

/** What the command does before it begins. `answer`: of the person; undefined: nobody is there. */
async function agree(answer: boolean | undefined, ...flags: string[]) {
  const terminal = testTerminal({ cwd: bench.path, ...(answer === undefined ? {} : { answer }) });
  const args = parseArguments(signInCommand, ['desk', ...flags]);
  const agreed = await agreedSignIn('desk', session, args, terminal).catch((error) => error);
  return { agreed, shown: terminal.printed.err };
}

describe('an issuer that sends the browser to the page of another server', () => {
  let honest: OAuthServer;
  let place: string;

  beforeEach(async () => {
    honest = await oauthServer();
    honest.redirect = { iss: undefined };
    place = `127.0.0.1:${honest.port}`;
    authority.metadata = {
      authorization_endpoint: `${honest.issuer}/authorize`,
      authorization_response_iss_parameter_supported: undefined,
    };
    // It registers our redirect address there and gives us that client.
    authority.intercept = (path, response) => {
      if (path !== '/register') return false;
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(authority.seen.at(-1)?.json);
      void fetch(`${honest.issuer}/register`, { method: 'POST', headers, body })
        .then((it) => it.text())
        .then((it) => response.writeHead(201, headers).end(it));
      return true;
    };
  });
  afterEach(() => honest.close());

  test('gets no code, unless a person agreed to that page', async () => {
    await expect(begin()).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining(`sends the browser to ${place}, which is not the issuer`),
      hint: expect.stringContaining(`--place ${place}`),
    });
    // A place for requests is not one for the browser.
    await expect(begin({ places: [place] })).rejects.toMatchObject({ code: 'denied' });
    expect([authority.count('/register'), honest.seen]).toEqual([0, []]);

    // The control: with the agreement, this issuer gets all that it needs to have the token of the other server.
    const { id, url } = await begin({ browserPlace: place });
    await session.signIns.finish({ id, callback: await honest.approve(url) }).catch(() => {});
    const { client_id, code, code_verifier } = authority.seen.find((it) => it.path === '/token')?.form ?? {};
    const stolen = await fetch(`${honest.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', redirect_uri: redirectUri, resource: server.url },
        ...{ client_id: client_id ?? '', code: code ?? '', code_verifier: code_verifier ?? '' },
      }),
    });
    expect(await stolen.json()).toMatchObject({ token_type: 'Bearer' });
  });

  test('is shown by the command, which asks; a script names the place', async () => {
    const { issuer } = authority;
    const line = `the browser goes to ${place}, which is not the issuer`;
    const asked = await agree(true);
    expect(asked.shown).toContain(line);
    expect(asked.shown).toContain(`Let the browser go to ${place}, which is not the issuer 127.0.0.1:`);
    expect(asked.agreed).toMatchObject({ browserPlace: place, places: [`127.0.0.1:${authority.port}`] });
    const unnamed = await agree(undefined, '--issuer', issuer);
    expect(unnamed.agreed).toMatchObject({
      code: 'approval_required',
      hint: expect.stringContaining(`--place ${place}`),
    });
    const named = await agree(undefined, '--issuer', issuer, '--place', place);
    expect(named.shown).toContain(line);
    // The host itself sends nothing there.
    expect(named.agreed).toMatchObject({ browserPlace: place, places: [`127.0.0.1:${authority.port}`] });
    expect(honest.seen).toEqual([]);
  });
});

describe('scopes', () => {
  const requested = async (more: Partial<SignInBegin>) =>
    new URL((await begin(more)).url).searchParams.get('scope');

  test('that the server asks for after the agreement are not requested', async () => {
    const { agreed } = await agree(true);
    expect(agreed).toMatchObject({ scopes: ['files:read'] });
    server.challenge = 'Bearer scope="files:read files:admin"';
    authority.metadata = { scopes_supported: ['offline_access'] };
    expect(await requested(agreed)).toBe('files:read');
    const registered = authority.seen.find((it) => it.path === '/register')?.json;
    expect(registered).toMatchObject({ scope: 'files:read' });
    // The control: without an agreement they are.
    expect(await requested({})).toBe('files:read files:admin offline_access');
    // An agreement to none is one too.
    expect(await requested({ scopes: [] })).toBeNull();
  });

  test('that are added are shown and asked for: offline_access, and those of the earlier sign-in', async () => {
    authority.metadata = { scopes_supported: ['offline_access'] };
    const { agreed, shown } = await agree(true);
    expect(shown).toContain('the sign-in also requests the scopes offline_access\n');
    expect(shown).toContain('Also request the scopes offline_access?');
    expect(agreed).toMatchObject({ scopes: ['files:read', 'offline_access'] });
    const { id, url } = await begin(agreed);
    await session.signIns.finish({ id, callback: await authority.approve(url) });

    const more = await agree(undefined, '--issuer', authority.issuer, '--scope', 'files:write');
    expect(more.shown).toContain('  scopes      files:write\n');
    expect(more.shown).toContain('the sign-in also requests the scopes files:read, offline_access\n');
    expect(await requested(more.agreed)).toBe('files:read offline_access files:write');
  });
});
