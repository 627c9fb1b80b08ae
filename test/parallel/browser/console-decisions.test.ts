// What else waits for a person in the console, in Chromium: what a crash and a rollback left, files for values, generations.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAuditLog } from '../../../src/store/audit-opening.js';
import { checkpointPaths } from '../../../src/store/checkpoints.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';
import { writeCalls } from '../../support/long-log.js';
import { patchTool } from '../../support/toolwharf.js';
import { findagent, pythonTool } from '../../support/workbench.js';

/** A call of a host that died, and an audit log whose checkpoints somebody removed. */
async function crashAndRollBack(state: string): Promise<void> {
  await writeCalls(state, 10);
  const database = openDatabase(state);
  const { audit } = await openAuditLog(database, checkpointPaths(state), Date.now, () => 'b'.repeat(32));
  const body = { callId: 'call_interrupted', tool: 'desk/pay', principal: 'http/agent', shape: {} };
  await audit.append({ kind: 'intent', body });
  await audit.close();
  await database.destroy();
  rmSync(join(state, 'checkpoints'), { recursive: true });
}

describe.skipIf(!hasChromium)('decisions (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench(
      {
        'cloud/findagent.json': findagent('Cloud', {
          tools: [
            {
              name: 'look',
              description: 'Write a line.',
              input_schema: { type: 'object', properties: {} },
              action: { type: 'prompt-template', template: 'a line' },
            },
          ],
          credential_slots: [
            {
              ref: 'account',
              label: 'Service account',
              type: 'json',
              allowed_hosts: ['api.example.com'],
              description: 'A key file.',
            },
          ],
        }),
        'runs.py': pythonTool({
          name: 'runs',
          filesystem: 'read-write',
          body: ['open(text, "w").write("{}")', 'return {"done": True}'],
        }),
      },
      { prepare: crashAndRollBack },
      // Protected file names are held otherwise.
      { taint: { mode: 'observe' } },
    );
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  test('a call with an unknown outcome and a rollback of the audit log wait until somebody acknowledges them', async () => {
    const page = await bench.open();
    const call = page.locator('article', { hasText: 'desk/pay' });
    await call.getByText('nobody knows whether it took effect').waitFor();
    const rollback = page.locator('article', { hasText: 'The audit log was rolled back' });
    await rollback.waitFor();
    await picture(page, 'unknown-outcome');
    await page.goto(`${bench.home.server.url}/console/activity`);
    await page.getByText('It was rolled back.').waitFor();
    await page.goto(`${bench.home.server.url}/console/inbox`);
    await call.getByRole('button', { name: 'Acknowledge' }).click();
    await call.waitFor({ state: 'detached' });
    await rollback.getByRole('button', { name: 'Acknowledge' }).click();
    await rollback.waitFor({ state: 'detached' });
    const { host } = bench.home.bench;
    expect([await host.outcomes.unknown(), await host.rollbacks.list()]).toEqual([[], []]);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a part of the inbox that cannot be read is named, and the inbox does not say that nothing waits', async () => {
    const page = await bench.open('packages');
    const answer = { error: { code: 'internal', message: 'the list of requests is broken' } };
    await page.route('**/operations/installRequests.list', (route) => route.fulfill({ json: answer }));
    await page.goto(`${bench.home.server.url}/console/inbox`);
    await page
      .getByText('A part of the inbox could not be read: The list of requests is broken.')
      .first()
      .waitFor();
    expect(await page.getByText('Nothing waits for you').count()).toBe(0);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a value that is JSON is read from a file, and is not shown', async () => {
    const page = await bench.open('packages/cloud');
    page.setDefaultTimeout(8000);
    const path = join(bench.home.bench.path, 'account.json');
    writeFileSync(path, '{"private_key": "very-secret"}');
    await page.getByLabel('Service account: choose a file').setInputFiles(path);
    await expect
      .poll(() => page.getByLabel('Service account', { exact: true }).inputValue())
      .toContain('very-secret');
    const security = `getComputedStyle(document.querySelector('.slot textarea')).webkitTextSecurity`;
    expect(await page.evaluate(security)).toBe('disc');
    await picture(page, 'json-value');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Service account was saved.').first().waitFor();
    expect(await page.getByLabel('Service account', { exact: true }).inputValue()).toBe('');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('an installed package shows its generations, and goes back to an earlier one', async () => {
    const { bench: home } = bench.home;
    const source = `${home.path}/offered/loud.py`;
    const session = await home.session();
    for (const body of ['    return {"words": 1}', '    return {"words": 2}']) {
      home.write({ '../offered/loud.py': patchTool({ name: 'loud', body }) });
      const plan = await session.installations.plan({ source });
      await session.installations.install({ source, agree: plan.digest, by: 'test' });
    }
    const page = await bench.open('packages/loud');
    const table = page.getByRole('table', { name: 'Generations' });
    await table.getByRole('button', { name: 'Roll back' }).click();
    await page
      .getByText(/Generation 1 of loud is served now/)
      .first()
      .waitFor({ timeout: 20_000 });
    expect(await session.call({ tool: 'loud', arguments: { text: 'a' } })).toMatchObject({
      result: { words: 1 },
    });
    await picture(page, 'generations');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('revoking an installed package shows each step, and the package is gone', async () => {
    const page = await bench.open('packages/loud');
    await page.getByRole('button', { name: 'Revoke…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This cannot be undone.', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'loud was revoked' }).waitFor({ timeout: 20_000 });
    expect(await dialog.locator('.steps li').count()).toBeGreaterThan(1);
    await picture(page, 'revoked');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Packages' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'loud', exact: true }).count()).toBe(0);
    await page.context().close();
    // Meanwhile the page asks what a package may use that is being removed.
    expect(bench.complaints.filter((it) => !/status of 403/.test(it))).toEqual([]);
  });

  test('files that a tool left in a steering place are put back or deleted', async () => {
    const { bench: home } = bench.home;
    const write = async (name: string) =>
      bench.home.request('/api/v1/call', { body: { tool: 'runs', arguments: { text: name } } });
    for (const name of ['.mcp.json', '.gdbinit']) expect((await write(name)).json.status).toBe('ok');
    const at = (name: string) => join(home.root, name);
    expect([existsSync(at('.mcp.json')), existsSync(at('.gdbinit'))]).toEqual([false, false]);
    const page = await bench.open();
    const card = (name: string) => page.locator('article', { hasText: at(name) });
    await card('.mcp.json').getByText('appeared while runs could').waitFor();
    await picture(page, 'moved-files');
    await card('.mcp.json').getByRole('button', { name: 'Put back' }).click();
    await card('.mcp.json').waitFor({ state: 'detached' });
    expect(existsSync(at('.mcp.json'))).toBe(true);
    await card('.gdbinit').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card('.gdbinit').waitFor({ state: 'detached' });
    expect([existsSync(at('.gdbinit')), await home.host.quarantine.list()]).toEqual([false, []]);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });
});
