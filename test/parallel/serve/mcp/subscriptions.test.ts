// Subscriptions to resources of servers behind the host: whose updates a client gets, and what survives a restart.
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../../scripts/bundle.mjs';
import { upstreams } from '../../../support/mcp-upstream.js';
import { type Era, frontFor, officialClient } from '../../../support/mcp-wire.js';
import { scriptPackage } from '../../../support/server-package.js';
import { temporaryFolder, until } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const eras: readonly Era[] = ['2025', '2026'];
const folder = temporaryFolder();
const clients: Client[] = [];
let bench: Workbench;

beforeAll(async () => {
  const script = join(folder.path, 'server.mjs');
  await bundleModule(`import './feature-server.mjs';`, upstreams, script);
  bench = await workbench(
    Object.assign({}, ...eras.map((era) => scriptPackage(`desk-${era}`, script, [era]))),
    { supervision: { backoffMs: 50 } },
  );
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

afterAll(async () => {
  await bench?.close();
  folder.remove();
});

/** A client that notes each update. */
async function watcher(principal: string, era: Era = '2025') {
  const session = await bench.session({ principal });
  const client = await officialClient(frontFor({ host: bench.host, session, principal }), era, {});
  clients.push(client);
  const updates: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  );
  return { client, session, updates };
}

const pens = (server: Era) => `upstream://desk-${server}/server/desk://pens`;
const call = (client: Client, server: Era, tool: string) =>
  client.callTool({ name: `desk-${server}_${tool}`, arguments: {} });
const settle = () => new Promise((resolve) => setTimeout(resolve, 300));

describe.each(eras)('a server of %s', (server) => {
  test('one principal never gets the updates of the server of another', async () => {
    const [ann, bob] = await Promise.all([watcher('ann'), watcher('bob')]);
    await ann.client.subscribeResource({ uri: pens(server) });
    await bob.client.subscribeResource({ uri: pens(server) });
    await call(ann.client, server, 'touch');
    await until(() => ann.updates.length > 0);
    await settle();
    expect(ann.updates).toEqual([pens(server)]);
    expect(bob.updates).toEqual([]);
    // The control: the subscription of the other one works.
    await call(bob.client, server, 'touch');
    await until(() => bob.updates.length > 0);
    expect(ann.updates).toHaveLength(1);
  });

  test('a flood of updates becomes a few reports', async () => {
    const { client, updates } = await watcher('carl');
    await client.subscribeResource({ uri: pens(server) });
    await call(client, server, 'churn');
    await settle();
    expect(updates.length).toBeGreaterThanOrEqual(2);
    expect(updates.length).toBeLessThan(30);
  });

  test.each(eras)('a subscription of a %s client survives the end of its server', async (era) => {
    const { client, updates } = await watcher(`dora-${era}`, era);
    if (era === '2025') await client.subscribeResource({ uri: pens(server) });
    else await client.listen({ resourceSubscriptions: [pens(server)] });
    await call(client, server, 'crash');
    // It is told to look again.
    await until(() => updates.length > 0, 20_000);
    await call(client, server, 'touch');
    await until(() => updates.length > 1);
    expect(new Set(updates)).toEqual(new Set([pens(server)]));
    if (era === '2026') return;
    // Unsubscribing ends it.
    await client.unsubscribeResource({ uri: pens(server) });
    const before = updates.length;
    await call(client, server, 'touch');
    await settle();
    expect(updates).toHaveLength(before);
  });
});

test('what cannot be watched is an error in 2025, and left out of the agreement in 2026', async () => {
  const unknown = 'upstream://nobody/server/desk://pens';
  const { client } = await watcher('erik');
  await expect(client.subscribeResource({ uri: unknown })).rejects.toThrow('there is no resource');
  const { client: newer } = await watcher('erik', '2026');
  const { honoredFilter } = await newer.listen({ resourceSubscriptions: [unknown, pens('2025')] });
  expect(honoredFilter.resourceSubscriptions).toEqual([pens('2025')]);
});

test('a client watches at most 64 resources, and the end of its session ends all', async () => {
  const { client, session, updates } = await watcher('fred');
  for (let ink = 0; ink < 64; ink++)
    await client.subscribeResource({ uri: `upstream://desk-2025/server/desk://ink/${ink}` });
  await expect(client.subscribeResource({ uri: pens('2025') })).rejects.toThrow('at most 64');
  await session.close();
  await settle();
  expect(updates).toEqual([]);
});

test('a rule that denies a resource denies its subscription, and each subscription is audited', async () => {
  const rules = [{ tool: 'desk-2025/resource:*', approval: 'deny', origin: { kind: 'session' } }] as const;
  const session = await bench.session({ principal: 'gina', policy: { rules } });
  const client = await officialClient(frontFor({ host: bench.host, session, principal: 'gina' }), '2025', {});
  clients.push(client);
  await expect(client.subscribeResource({ uri: pens('2025') })).rejects.toThrow(/den/);
  await client.subscribeResource({ uri: pens('2026') });
  const entries = (await bench.host.auditTail(20)).filter((it) => it.body.principal === 'gina');
  expect(entries.map((it) => [it.kind, it.body.subscription ?? it.body.code])).toEqual([
    ['refusal', 'denied'],
    ['read', pens('2026')],
  ]);
});
