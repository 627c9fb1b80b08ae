// The listener for the browser: it ends soon, and the page still arrives.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openCallbackListener } from '../../../src/serve/cli/sign-in/callback-listener.js';

test('ends although a browser keeps a connection that it never used', async () => {
  const listener = await openCallbackListener(0, async () => 'signed-in');
  const unused = connect(Number(new URL(listener.redirectUri).port), '127.0.0.1');
  await once(unused, 'connect');
  expect((await fetch(`${listener.redirectUri}?code=1`)).status).toBe(200);
  const begun = Date.now();
  await listener.close();
  expect(Date.now() - begun).toBeLessThan(10_000);
  unused.destroy();
}, 20_000);

test('lets a page that is on its way arrive', async () => {
  let closed: Promise<void> | undefined;
  const listener = await openCallbackListener(0, async () => {
    closed = listener.close();
    await setTimeout(50);
    return 'signed-in';
  });
  const page = await fetch(`${listener.redirectUri}?code=1`);
  expect(await page.text()).toContain('You are signed in.');
  await closed;
});
