import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { InstallRequest, Plan, Session } from '../../../src/index.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { type Workbench, workbench } from '../../support/workbench.js';

let bench: Workbench;
afterEach(() => bench.close());

const by = 'operator';

async function planOf(session: Session, path: string): Promise<Plan> {
  return session.installations.plan({ source: path });
}

async function install(session: Session, path: string, more: Partial<InstallRequest> = {}) {
  const { digest } = await planOf(session, path);
  return session.installations.install({ source: path, agree: digest, by, ...more });
}

async function open(files: Parameters<typeof workbench>[0]) {
  bench = await workbench(files);
  const path = join(bench.packages, 'counter');
  return { path, session: await bench.session({ directories: [], accept: null }) };
}

async function count(session: Session) {
  return session.call({ tool: 'counter/count', arguments: { text: 'to be or not' } });
}

describe('an installation', () => {
  test('goes from plan to call, and survives the deletion of its source', async () => {
    const { path, session } = await open(counterPackage());
    const plan = await planOf(session, path);
    expect(plan).toMatchObject({
      operation: 'install',
      package: { id: 'counter', version: '1.0.0', format: 'toolspace' },
      requires: [],
      sandbox: 'enforced',
    });
    expect(await session.installations.list()).toEqual([]);
    const change = await install(session, path);
    expect(change.steps.map((it) => [it.name, it.status])).toEqual([
      ['fetch', 'done'],
      ['agree', 'done'],
      ['credentials', 'unchanged'],
      ['environment', 'done'],
      ['smoke', 'done'],
      ['switch', 'done'],
    ]);
    rmSync(path, { recursive: true });
    expect(await count(session)).toMatchObject({ status: 'ok', result: { words: 4, answer: 'one' } });
    const other = await bench.session({ directories: [], accept: null });
    expect((await other.packages()).packages.map((it) => [it.id, it.state])).toEqual([['counter', 'ready']]);
  });

  test('updates, rolls back and keeps both generations', async () => {
    const { path, session } = await open(counterPackage());
    await install(session, path);
    bench.write(counterPackage({ version: '1.1.0', answer: 'two' }));
    expect(await session.installations.outdated()).toEqual([
      { package: 'counter', version: '1.0.0', available: '1.1.0' },
    ]);
    const plan = await session.installations.plan({ package: 'counter' });
    expect(plan).toMatchObject({ operation: 'update', from: { generation: 1, version: '1.0.0' } });
    expect(plan.changes?.breaking).toEqual([]);
    await session.installations.install({ package: 'counter', agree: plan.digest, by });
    expect(await count(session)).toMatchObject({ result: { answer: 'two' } });
    const back = await session.installations.rollback({ package: 'counter', by });
    expect(back).toMatchObject({ from: { generation: 2 }, to: { generation: 1 } });
    expect(await count(session)).toMatchObject({ result: { answer: 'one' } });
    expect(
      (await session.installations.history('counter')).map((it) => [it.generation, it.isCurrent]),
    ).toEqual([
      [2, false],
      [1, true],
    ]);
  });

  test('that is exactly the same is tested again, and makes no generation', async () => {
    const { path, session } = await open(counterPackage());
    await install(session, path, { skipSmoke: true });
    const plan = await session.installations.plan({ package: 'counter' });
    expect(plan.operation).toBe('unchanged');
    const change = await session.installations.install({ package: 'counter', agree: plan.digest, by });
    expect(change).toMatchObject({ operation: 'unchanged', from: change.to, to: { generation: 1 } });
    expect(change.steps).toContainEqual({ name: 'smoke', status: 'done' });
    expect(await session.installations.list()).toMatchObject([
      { current: 1, generations: 1, smoke: { status: 'passed' } },
    ]);
    // Another grant is a change, although the files are the same.
    const allow = ['env:LANG'];
    const granted = await session.installations.plan({ package: 'counter', allow });
    expect(granted.operation).toBe('update');
    const agreed = { package: 'counter', allow, agree: granted.digest, by };
    expect(await session.installations.install(agreed)).toMatchObject({
      operation: 'update',
      to: { generation: 2 },
    });
  });

  test('for one workspace is served there, and later in others without a new generation', async () => {
    const { path, session } = await open(counterPackage());
    await install(session, path, { onlyHere: true });
    const served = async (root: string) => {
      const other = await bench.session({ directories: [], accept: null, root });
      return (await other.packages()).packages.length;
    };
    expect([await served(bench.root), await served(bench.packages)]).toEqual([1, 0]);
    const other = await bench.session({ directories: [], accept: null, root: bench.packages });
    expect(await install(other, path, { onlyHere: true })).toMatchObject({ operation: 'unchanged' });
    expect([await served(bench.root), await served(bench.packages)]).toEqual([1, 1]);
    expect(await install(other, path)).toMatchObject({ operation: 'unchanged' });
    expect(await session.installations.list()).toMatchObject([{ roots: null, generations: 1 }]);
    // A package for all sessions is not taken away from them.
    await install(session, path, { onlyHere: true });
    expect(await session.installations.list()).toMatchObject([{ roots: null }]);
  });

  test('is not made if the plan changed after it was agreed to', async () => {
    const { path, session } = await open(counterPackage());
    const { digest } = await planOf(session, path);
    await bench.host.close();
    bench.write(counterPackage({ answer: 'other' }));
    const { createHost } = await import('../../../src/index.js');
    const host = await createHost({ state: join(bench.path, 'state') });
    const again = await host.session({ directories: [], accept: null, root: bench.root });
    await expect(again.installations.install({ source: path, agree: digest, by })).rejects.toMatchObject({
      code: 'integrity',
    });
    expect(await again.installations.list()).toEqual([]);
    await host.close();
  });

  test('with a failing smoke test leaves everything as it was and repeats the words of the tool', async () => {
    const smoke = { kind: 'shell', command: ['python3', '-m', 'counter', 'fail'], success: { exit_code: 0 } };
    const code = "if sys.argv[1:] == ['fail']: sys.exit('the index is missing')";
    const { path, session } = await open(counterPackage({ smoke, code }));
    await expect(install(session, path)).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('the index is missing'),
    });
    expect(await session.installations.list()).toEqual([]);
    await bench.host.close();
    expect(readdirSync(join(bench.path, 'state', 'store', 'trees'))).toEqual([]);
  });

  test('erases what a removed package had', async () => {
    const { path, session } = await open(counterPackage());
    await install(session, path);
    const change = await session.installations.remove({ package: 'counter', by });
    expect(change.left).toEqual(['its kill switch was not used: access outside this machine may remain']);
    expect(await session.installations.list()).toEqual([]);
    expect(readdirSync(join(bench.path, 'state', 'store', 'trees'))).toEqual([]);
    await expect(count(session)).resolves.toMatchObject({ status: 'error' });
  });
});
