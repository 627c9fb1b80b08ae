// A host on a system that has no sandbox, such as macOS: what works there, and what says that it cannot.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { systemSandbox } from '../../../src/sandbox/system-sandbox.js';
import { httpSampleServer } from '../../support/http-sample-server.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import { serverPackage } from '../../support/server-package.js';
import { findagentTool, type LoopbackServer, loopbackServer, patchTool } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  inputOf,
  resultOf,
  talos,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

let bench: Workbench;
let session: Session;
let shop: LoopbackServer;

beforeAll(async () => {
  shop = await loopbackServer((_request, response) => response.end('{"status":"shipped"}'));
  const url = await httpSampleServer('both');
  bench = await workbench(
    {
      'count.py': patchTool({ name: 'count' }),
      ...talos({ id: 'shapes', functions: ['text'], code: 'export const text = () => "just words";\n' }),
      ...serverPackage('local', ''),
      'orders/findagent.json': findagentTool(shop.port),
      'keeper/findagent.json': findagent('Keeper', {
        kind: 'static-recipe',
        tools: [
          {
            name: 'summary',
            description: 'A text to summarize minutes.',
            input_schema: inputOf({ about: { type: 'string', description: 'The meeting.' } }, ['about']),
            action: { type: 'prompt-template', template: 'Summarize the meeting about {about}, briefly.' },
          },
        ],
      }),
      'remote/toolwharf-mcp.json': JSON.stringify({ schema: 'toolwharf/mcp@1', name: 'remote', url }),
    },
    { sandbox: systemSandbox({}, 'darwin') },
  );
  const ports = [shop.port, new URL(url).port];
  session = await bench.session({ allow: ports.map((it) => `net:127.0.0.1:${it}`) });
});
afterAll(async () => {
  await bench.close();
  await shop.close();
  await closeUpstreams();
  expect(bench.bugs).toEqual([]);
});

test('HTTP requests, prompts and servers by URL work', async () => {
  const order = { tool: 'order-desk/find_order', arguments: { number: '7' } };
  expect(await resultOf(session.call(order))).toBe('{"status":"shipped"}');
  const summary = { tool: 'keeper/summary', arguments: { about: 'tea' } };
  expect(await resultOf(session.call(summary))).toBe('Summarize the meeting about tea, briefly.');
  const said = await resultOf(session.call({ tool: 'remote/say', arguments: { text: 'hello' } }));
  expect(JSON.stringify(said)).toContain('hello');
});

test.each([
  ['a script', 'count/count', { text: 'a' }],
  ['a function', 'shapes/text', {}],
  ['a server that the host starts', 'local/go', {}],
])('%s does not run, and the reason is said', async (_name, tool, args) => {
  const failure = await failureOf(session.call({ tool, arguments: args }));
  expect(failure.code).toBe('sandbox_unavailable');
  expect(failure.message).toContain('there is no sandbox for darwin');
});

test('the list says which packages cannot run', async () => {
  const { packages } = await session.packages();
  expect(Object.fromEntries(packages.map((it) => [it.id, it.state]))).toEqual({
    ...{ keeper: 'ready', 'order-desk': 'ready', remote: 'ready' },
    ...{ count: 'unavailable', local: 'unavailable', shapes: 'unavailable' },
  });
});
