// SECURITY.md: "HTTP needs a token". Two tokens can have the same name. Which one gets the plain name as its
// principal must not depend on which one is used first after a start.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openHttpServer } from '../../../src/serve/http/server.js';
import { type HttpBench, httpBench, request } from '../../support/http-bench.js';
import { knownEffects } from '../../support/workbench.js';

const call = async (port: number, token: string, tool: string, given: object) =>
  request(port, '/api/v1/call', { token, body: { tool, arguments: given } });

/** Restarts the HTTP server of the same host. */
const startAgain = async (home: HttpBench) => {
  await home.server.close();
  return openHttpServer(home.bench.host, {
    port: 0,
    startTokens: [{ name: 'start', role: 'operator', token: `tw_${randomBytes(32).toString('base64url')}` }],
    session: {
      directories: [home.bench.packages],
      root: home.bench.root,
      accept: null,
      policy: { rules: [knownEffects] },
    },
    version: '9.9.9',
    now: Date.now,
    onBug: (error) => home.bench.bugs.push(error),
  });
};

test('a token cannot use held calls of another token with the same name after a restart', async () => {
  const home = await httpBench();
  const [first, second] = [await home.token('twin'), await home.token('twin')];
  const [older, younger] = (await home.bench.host.tokens.list()).map((it) =>
    it.id === first.id ? first.token : second.token,
  ) as [string, string];
  const held = await call(home.port, older, 'send_note', { text: 'mine' });
  const id = held.json.confirmation.token as string;
  await home.bench.host.approvals.approve(id, 'test');
  const again = await startAgain(home);
  try {
    const given = { confirmation_token: id };
    const stolen = await call(again.port, younger, 'patch_confirm_action', given);
    expect([stolen.status, stolen.json.error?.code]).toEqual([404, 'approval_not_found']);
    expect((await call(again.port, older, 'patch_confirm_action', given)).json.status).toBe('ok');
  } finally {
    await again.close();
    await home.bench.close();
  }
}, 30_000);

test.each([
  ['the older of two is revoked', true],
  ['one is revoked before the next is created', false],
])(
  'a principal never moves to another token: %s',
  async (_name, atOnce) => {
    const home = await httpBench();
    const { tokens, approvals } = home.bench.host;
    const older = await home.token('twin');
    const early = atOnce ? await home.token('twin') : undefined;
    const held = await call(home.port, older.token, 'send_note', { text: 'mine' });
    const id = held.json.confirmation.token as string;
    await approvals.approve(id, 'test');
    // The test above shows as a control that the older token can run the approved call.
    expect((await tokens.list()).find((it) => it.id === older.id)?.principal).toBe('http/twin');
    expect(await tokens.revoke(older.id, 'test')).toBe(true);
    const younger = early ?? (await home.token('twin'));
    const again = await startAgain(home);
    try {
      const stolen = await call(again.port, younger.token, 'patch_confirm_action', {
        confirmation_token: id,
      });
      expect([stolen.status, stolen.json.error?.code]).toEqual([404, 'approval_not_found']);
      const fresh = await call(again.port, younger.token, 'send_note', { text: 'mine' });
      expect(fresh.json.status).toBe('confirmation_required');
      expect((await approvals.list(['proposed'])).map((it) => it.principal)).toEqual([
        `http/twin#${younger.id}`,
      ]);
    } finally {
      await again.close();
      await home.bench.close();
    }
  },
  30_000,
);

test('a stored token with the name of a start token is a different principal', async () => {
  const home = await httpBench();
  try {
    const { token, id } = await home.token('start-agent');
    await call(home.port, token, 'send_note', { text: 'x' });
    const [held] = await home.bench.host.approvals.list(['proposed']);
    expect(held?.principal).toBe(`http/start-agent#${id}`);
    await expect(
      home.bench.host.tokens.create({ name: `a#${id}`, role: 'agent', expiresAt: null, by: 'test' }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  } finally {
    await home.close();
  }
});
