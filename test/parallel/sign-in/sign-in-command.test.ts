// The commands sign-in and sign-out: a person at a browser on this machine, or one who pastes the address.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentIn } from '../../support/json-documents.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import {
  type OAuthServer,
  oauthServer,
  type ProtectedServer,
  protectedServer,
} from '../../support/oauth-server.js';
import { main, temporaryFolder, toolwharf, until } from '../../support/toolwharf.js';

let authority: OAuthServer;
let server: ProtectedServer;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  authority = await oauthServer();
  server = await protectedServer(authority);
  const manifest = { schema: 'toolwharf/mcp@1', name: 'desk', url: server.url };
  folder = temporaryFolder({ 'tools/toolwharf-mcp.json': JSON.stringify(manifest) });
  const accepted = await run(['review', 'tools', '--yes']);
  expect(accepted).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await closeUpstreams();
  await authority.close();
  folder.remove();
});

const state = () => ['--state', join(folder.path, 'state')];
const grants = () => [server.url, authority.issuer].flatMap((it) => ['--allow', `net:${new URL(it).host}`]);
const flags = () => ['--dir', 'tools', ...grants()];
const run = (args: readonly string[], stdin?: string) =>
  toolwharf([...args, ...state()], {
    cwd: folder.path,
    ...(stdin === undefined ? {} : { stdin }),
  });

/** Starts a sign-in and waits until it prints the address. */
async function begin(...more: string[]) {
  const args = ['sign-in', 'desk', '--issuer', authority.issuer, ...flags(), ...state(), ...more];
  const child = spawn(process.execPath, [main, ...args], { cwd: folder.path, stdio: 'pipe' });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (it) => {
    printed.out += it;
  });
  child.stderr.on('data', (it) => {
    printed.err += it;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await until(() => /\n {2}http\S+\n/.test(printed.err) || child.exitCode !== null, 60_000);
  const url = /\n {2}(http\S+)\n/.exec(printed.err)?.[1];
  if (url === undefined) throw new Error(printed.err);
  return { child, printed, ended, url };
}

test('signs in through the browser, answers only the right redirect, and stores nothing that is shown', async () => {
  const refused = await run(['sign-in', 'desk', ...flags()]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(`sign in at  ${authority.issuer}`);
  expect(refused.stderr).toContain(`add --issuer ${authority.issuer}`);
  expect(authority.seen).toEqual([]);

  const { printed, ended, url, child } = await begin('--no-browser');
  const callback = await authority.approve(url);
  const wrong = new URL(callback);
  wrong.searchParams.set('state', 'x');
  expect((await fetch(wrong)).status).toBe(400);
  expect((await fetch(callback, { method: 'POST' })).status).toBe(404);
  expect((await fetch(new URL('/', callback))).status).toBe(404);
  expect(child.exitCode).toBeNull();
  const page = await fetch(callback);
  expect(await page.text()).toContain('You can close this window.');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await ended).toBe(0);
  expect(printed.out).toMatch(/^signed in to desk at 127\.0\.0\.1:\d+; it is ready with \d+ tools\n$/);
  // Nothing listens any more.
  await expect(fetch(callback)).rejects.toThrow();
  const called = await run(['call', 'desk/say', '{"text":"hello"}', '--yes', ...flags()]);
  expect(called.stdout + called.stderr).not.toContain('sign-in');
  const listed = await run(['sign-in', '--json']);
  expect(documentIn(listed.stdout).value).toMatchObject({ signIns: [{ package: 'desk', isRenewed: true }] });
  const all = JSON.stringify([printed, called, listed, await run(['secret', 'list'])]);
  for (const it of authority.issued.filter((text) => /^(access|refresh)-/.test(text)))
    expect(all).not.toContain(it);
});

test('signs in by pasting, and signs out', async () => {
  const { child, ended, url, printed } = await begin('--paste', '--json');
  child.stdin.end(`${await authority.approve(url)}\n`);
  expect(await ended).toBe(0);
  expect(documentIn(printed.out).value).toMatchObject({ schema: 'toolwharf/sign-ins@1' });
  const out = await run(['sign-out', 'desk', '--json', ...grants()]);
  expect(documentIn(out.stdout).value).toMatchObject({ programs: ['server'], left: [] });
  expect(authority.count('/revoke')).toBeGreaterThan(0);
  expect(await run(['sign-in'])).toMatchObject({ code: 0, stdout: 'nobody is signed in to a server\n' });
  const again = await run(['sign-out', 'desk']);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('nobody is signed in to desk')]);
});
