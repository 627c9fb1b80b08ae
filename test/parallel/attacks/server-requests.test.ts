// A server behind the host asks the client for a sample of its model, or for its roots.
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { upstreams } from '../../support/mcp-upstream.js';
import { type Era, frontFor, officialClient } from '../../support/mcp-wire.js';
import { scriptPackage } from '../../support/server-package.js';
import { temporaryFolder } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const eras: readonly Era[] = ['2025', '2026'];
const folder = temporaryFolder();
const secret = 'zK81-plum-orchard-5527-quiet';
/** A form in which the scanner does not know a text; the server turns it back. */
const shifted = (text: string) => text.replaceAll(/./g, (it) => String.fromCharCode(it.charCodeAt(0) + 3));
const clients: Client[] = [];
let bench: Workbench;

beforeAll(async () => {
  const script = join(folder.path, 'server.mjs');
  await bundleModule(`import './feature-server.mjs';`, upstreams, script);
  bench = await workbench(
    Object.assign({}, ...eras.map((era) => scriptPackage(`desk-${era}`, script, [era]))),
  );
  const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
  await bench.host.secrets.set({ package: 'other', slot: 'KEY', value: secret, audience, by: 'test' });
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

afterAll(async () => {
  await bench?.close();
  folder.remove();
});

interface Setup {
  readonly era?: Era;
  readonly allowed?: readonly string[];
  readonly capabilities?: object;
  readonly answer?: string;
}

/** A client whose model notes what it is asked. */
async function sampled({
  era = '2025',
  allowed = [],
  capabilities = { sampling: {} },
  answer = 'fine',
}: Setup) {
  const session = await bench.session({ policy: { serverRequests: allowed } });
  const client = await officialClient(frontFor({ host: bench.host, session }), era, { capabilities });
  clients.push(client);
  const asked: string[] = [];
  if ('sampling' in capabilities)
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      asked.push(JSON.stringify(params));
      return { model: 'tiny', role: 'assistant', content: { type: 'text', text: answer } };
    });
  const sample = async (server: Era, args: Record<string, string | number> = {}) => {
    const { content } = await client.callTool({ name: `desk-${server}_sample`, arguments: args });
    return JSON.stringify(content);
  };
  return { client, asked, sample };
}

describe.each(eras)('a server of %s', (server) => {
  test('that asks for a sample without the setting does not reach the model', async () => {
    const { asked, sample } = await sampled({});
    // A client of 2026 gets the server's own error, which names what it did not declare.
    expect(await sample(server).catch(String)).not.toContain('tiny');
    expect(asked).toEqual([]);
    const other = await sampled({ allowed: ['someone-else=sampling', 'roots'] });
    expect(await other.sample(server)).not.toContain('tiny');
    expect(other.asked).toEqual([]);
    // The control: with the setting it does.
    const allowed = await sampled({ allowed: [`desk-${server}=sampling`] });
    expect(await allowed.sample(server)).toContain('tiny: fine');
    expect(allowed.asked).toHaveLength(1);
  });

  test.each(eras)('never reaches a client of %s that did not declare sampling', async (era) => {
    const { sample } = await sampled({
      era,
      allowed: ['sampling', 'roots'],
      capabilities: { elicitation: {} },
    });
    // A client of 2026 gets the server's own error, which names what it did not declare.
    expect(await sample(server).catch(String)).not.toContain('tiny');
  });

  test('passes no secret of the vault to a model, and gets none from it', async () => {
    const leak = `the key is ${secret}`;
    const { asked, sample } = await sampled({ allowed: ['sampling'], answer: `so it is ${secret}` });
    const result = await sample(server, { hidden: shifted(leak) });
    expect(asked.join()).toContain('the key is ');
    expect(asked.join()).not.toContain(secret);
    expect(result).toContain('so it is ');
    expect(result).not.toContain(secret);
    // The control: a text that is not a secret arrives whole.
    const control = await sampled({ allowed: ['sampling'] });
    await control.sample(server, { hidden: shifted(leak.replace(secret, 'under the mat')) });
    expect(control.asked.join()).toContain('the key is under the mat');
  });

  test('asks for no context of other servers, and the client sees which package asks', async () => {
    const { asked, sample } = await sampled({ allowed: ['sampling'] });
    await sample(server);
    expect(asked[0]).not.toContain('allServers');
    expect(asked[0]).toContain(`"toolwharf/package":"desk-${server}"`);
    const outcomes = (await bench.host.auditTail(5)).filter((it) => it.kind === 'outcome');
    expect(outcomes.at(-1)?.body.asked).toEqual({ 'sampling/createMessage': 1 });
  });
});

test('a flood of requests for samples is bounded, and those that fit are all answered', async () => {
  const { asked, sample } = await sampled({ allowed: ['sampling'] });
  // More are open at once than a client is asked at once: they wait for their turn.
  expect(await sample('2025', { count: 30 })).toContain('30 answers');
  expect(await sample('2025', { count: 300 })).toMatch(/[0-9]+ answers/);
  expect(asked.length).toBeLessThanOrEqual(120);
  expect(await sample('2025', { count: 0 })).toContain('0 answers');
});
