// SECURITY.md: over HTTP nobody comes in under another name.
// Two tokens may have one name. Which of them is called by it alone must not depend on who comes first after a start.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openHttp } from '../../src/serve/http/server.js';
import { house, visit } from '../http-house.js';

test('a token does not get the held calls of another of the same name after the next start', async () => {
  const home = await house();
  const [first, second] = [await home.token('twin'), await home.token('twin')];
  const [older, younger] = (await home.bench.host.tokens.list()).map((it) =>
    it.id === first.id ? first.token : second.token,
  ) as [string, string];
  const call = async (port: number, token: string, tool: string, given: object) =>
    visit(port, '/api/v1/call', { token, body: { tool, arguments: given } });
  const held = await call(home.port, older, 'send_note', { text: 'mine' });
  const id = held.json.confirmation.token as string;
  await home.bench.host.approvals.approve(id, 'test');
  await home.server.close();
  const again = await openHttp(home.bench.host, {
    port: 0,
    startTokens: [{ name: 'start', role: 'operator', token: `tp_${randomBytes(32).toString('base64url')}` }],
    session: { directories: [home.bench.packages], root: home.bench.root },
    version: '9.9.9',
    now: Date.now,
    onBug: (error) => home.bench.bugs.push(error),
  });
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
