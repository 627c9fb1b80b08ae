// SECURITY.md: "Rules only tighten". An MCP server chooses the names of its tools, and may use slashes.
// Rules, kills and lookups must read such names in the same way.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverPackage, toolsNamed } from '../../support/server-package.js';
import { failureOf, findagent, resultOf, type Workbench, workbench } from '../../support/workbench.js';

let bench: Workbench;

beforeAll(async () => {
  bench = await workbench({
    ...serverPackage('desk', toolsNamed('plain', 'admin/wipe', 'bank/pay')),
    'outer/findagent.json': findagent('Outer', {
      tools: [
        {
          name: 'pay',
          description: 'Pays through a package that is missing.',
          input_schema: { type: 'object', properties: {} },
          action: { type: 'compose', agent: 'bank', tool: 'pay' },
        },
      ],
    }),
  });
});
afterAll(() => bench.close());

const rule = (tool: string, approval: 'ask' | 'deny') =>
  ({ tool, approval, origin: { kind: 'session' } }) as const;

test('control: without a rule, both tools can be called', async () => {
  const session = await bench.session();
  for (const tool of ['desk/plain', 'desk/admin/wipe'])
    expect(await resultOf(session.call({ tool, arguments: {} }))).toBe('gone');
});

test.each(['desk', 'desk/*', 'desk/admin/*', 'desk/admin*', 'desk/admin/wipe', 'd*/*wipe', '*'])(
  'a rule for %s denies a tool with a slash in its name',
  async (pattern) => {
    const session = await bench.session({ policy: { rules: [rule(pattern, 'deny')] } });
    expect(await failureOf(session.call({ tool: 'desk/admin/wipe', arguments: {} }))).toMatchObject({
      code: 'denied',
    });
  },
);

test('a rule for one tool does not deny another', async () => {
  const rules = ['desk/plain', 'admin', 'admin/*', '*/wipe', 'desk/a'].map((it) => rule(it, 'deny'));
  const session = await bench.session({ policy: { rules } });
  expect(await resultOf(session.call({ tool: 'desk/admin/wipe', arguments: {} }))).toBe('gone');
});

test('a tool with a slash can be stopped by its name, and its approvals are voided', async () => {
  const session = await bench.session({ policy: { rules: [rule('desk', 'ask')] } });
  const call = () => session.call({ tool: 'desk/admin/wipe', arguments: {} });
  const held = await call();
  if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
  await bench.host.approvals.approve(held.confirmation.token, 'tester');
  const { kills } = bench.host;
  expect(await kills.set('desk/admin/wipe', 'tester')).toMatchObject({ changed: true, voided: 1 });
  expect(await failureOf(call())).toMatchObject({ code: 'killed' });
  await kills.lift('desk/admin/wipe', 'tester');
  expect(await bench.host.approvals.get(held.confirmation.token)).toMatchObject({ state: 'void' });
});

test('a tool with a slash does not answer for a tool of a missing package', async () => {
  const session = await bench.session();
  expect(await failureOf(session.call({ tool: 'bank/pay', arguments: {} }))).toMatchObject({
    code: 'tool_not_found',
  });
  expect(await failureOf(session.call({ tool: 'outer/pay', arguments: {} }))).toMatchObject({
    code: 'unavailable',
  });
  expect(await resultOf(session.call({ tool: 'desk/bank/pay', arguments: {} }))).toBe('gone');
});
