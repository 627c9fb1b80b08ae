// A package is revoked while clients of both eras are connected.
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { McpServer } from '../../../../src/serve/mcp/server.js';
import { counterPackage } from '../../../support/lifecycle-packages.js';
import { bugs, type Era, frontFor, officialClient } from '../../../support/mcp-wire.js';
import { until } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

let bench: Workbench;
let front: McpServer;
afterEach(async () => {
  front.close();
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

const by = 'operator';

test.each<Era>(['2025', '2026'])(
  'a client of %s is told, its call says that the package was revoked, and its held call is void',
  async (era) => {
    bench = await workbench(counterPackage());
    const rules = [{ tool: 'counter/count', approval: 'ask' as const, origin: { kind: 'session' as const } }];
    const session = await bench.session({ directories: [], accept: null, policy: { rules } });
    const source = join(bench.packages, 'counter');
    const { digest } = await session.installations.plan({ source });
    await session.installations.install({ source, agree: digest, by, skipSmoke: true });
    front = frontFor({ host: bench.host, session });
    const lists: string[][] = [];
    const client = await officialClient(front, era, {
      listChanged: {
        tools: { onChanged: (_, tools) => void lists.push((tools ?? []).map((it) => it.name)) },
      },
    });
    const name =
      (await client.listTools()).tools.map((it) => it.name).find((it) => it.includes('count')) ?? '';
    const call = { name, arguments: { text: 'a b' } };
    await client.callTool(call);
    const [held] = await bench.host.approvals.list(['proposed']);
    expect(held?.tool).toBe('counter/count');
    await bench.host.approvals.approve(held?.id ?? '', by);
    await session.installations.revoke({ package: 'counter', by, manualStepsDone: true });
    await until(() => lists.some((it) => !it.includes(name)));
    expect(await bench.host.approvals.get(held?.id ?? '')).toMatchObject({
      state: 'void',
      voidReason: 'the package was revoked',
    });
    const answer = await client.callTool(call).catch((error: unknown) => String(error));
    expect(JSON.stringify(answer)).toContain('counter was revoked');
    await client.close();
  },
);
