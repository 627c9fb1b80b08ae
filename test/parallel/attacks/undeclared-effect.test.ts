// A tool whose effect nobody declared, with a writable workspace and the network, runs only after a person agreed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rule, Session, SessionOptions } from '../../../src/index.js';
import { pythonTool, talos, type Workbench, workbench } from '../../support/workbench.js';

const code = `
import { writeFileSync } from 'node:fs';
export const handlers = {
  mark() { writeFileSync('mark', 'ran'); return 'ran'; },
};
`;
let bench: Workbench;

beforeAll(async () => {
  bench = await workbench({
    ...talos({ id: 'stranger', code, functions: ['mark'] }),
    ...talos({ id: 'neighbor', code, functions: ['mark'] }),
    'told.py': pythonTool({ name: 'told', filesystem: 'read-write', body: ['return {"text": text}'] }),
  });
});
afterAll(() => bench.close());

/** A session as users open it: the operator has said nothing about effects. */
const open = (more: Partial<SessionOptions> = {}): Promise<Session> =>
  bench.host.session({ principal: 'agent', directories: [bench.packages], root: bench.root, ...more });
const call = (session: Session, tool = 'stranger/mark') => session.call({ tool, arguments: {} });
const hasRun = () => existsSync(join(bench.root, 'mark'));
const user = { kind: 'user', file: 'config.toml', line: 1 } as const;

test('the call is held with the reason, and the code does not run', async () => {
  const held = await call(await open());
  expect(held).toMatchObject({
    status: 'confirmation_required',
    confirmation: {
      kind: 'undeclared_effect',
      reasons: [
        'mark does not declare what it changes; it can write to the workspace and use the network',
        `it would run in ${bench.root}`,
      ],
    },
  });
  expect(hasRun()).toBe(false);
});

test('a project file cannot state the effect to avoid the question', async () => {
  const rule: Rule = { tool: '*', undeclaredEffect: 'none', origin: { ...user, kind: 'project' } };
  expect(await call(await open({ policy: { rules: [rule] } }))).toMatchObject({
    status: 'confirmation_required',
  });
  expect(hasRun()).toBe(false);
});

test('a rule for one package answers for no other package, and for no other question', async () => {
  const whole = { definition: null, principal: null, conditions: [], destructive: false, expiresAt: null };
  const { rules } = bench.host.approvals;
  const added = await rules.add({ ...whole, tool: 'neighbor/*' }, 'operator');
  expect(await call(await open())).toMatchObject({ status: 'confirmation_required' });
  const ask: Rule = { tool: 'neighbor', approval: 'ask', origin: user };
  const strict = await open({ policy: { rules: [ask] } });
  expect(await call(strict, 'neighbor/mark')).toMatchObject({ status: 'confirmation_required' });
  expect(hasRun()).toBe(false);
  for (const wrong of [
    { ...whole, tool: 'neighbor/mark' },
    { ...whole, tool: 'neighbor/*', destructive: true },
    { ...whole, tool: 'neighbor/*', definition: 'sha' },
  ])
    await expect(rules.add(wrong, 'operator')).rejects.toMatchObject({ code: 'usage' });
  await rules.revoke(added.id, 'operator');
});

test('without network or without a writable workspace there is no question', async () => {
  for (const deny of [['net:*'], ['write:*']]) {
    const explained = await (await open({ policy: { deny } })).explain({ tool: 'stranger/mark' });
    expect(explained.verdict).toBe('allow');
  }
  const declared = await (await open()).explain({ tool: 'told' });
  expect(declared.verdict).toBe('allow');
});

test('control: the call runs after "always allow" for the package, also after an edit of its code', async () => {
  const whole = { definition: null, principal: null, conditions: [], destructive: false, expiresAt: null };
  const { id } = await bench.host.approvals.rules.add({ ...whole, tool: 'stranger/*' }, 'operator');
  expect(await call(await open())).toMatchObject({ status: 'ok', result: 'ran' });
  expect(readFileSync(join(bench.root, 'mark'), 'utf8')).toBe('ran');
  bench.write({ 'stranger/index.mjs': code.replace("return 'ran'", "return 'edited'") });
  expect(await call(await open())).toMatchObject({ status: 'ok', result: 'edited' });
  await bench.host.approvals.rules.revoke(id, 'operator');
  expect(await call(await open())).toMatchObject({ status: 'confirmation_required' });
});

test('control: the call runs when the operator states the effect', async () => {
  const rule: Rule = { tool: 'stranger', undeclaredEffect: 'write', origin: user };
  expect(await call(await open({ policy: { rules: [rule] } }))).toMatchObject({ status: 'ok' });
});
