// One package of each format, and one of each way to get code that a Toolspace manifest names, from plan to revocation.
// Real git, pip and npm fetch from loopback. Images are in `test/root/lifecycle`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { type PackageOrigin, packageOrigin } from '../../support/package-origin.js';
import { walksAt } from '../../support/walks.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
let bench: Workbench;
let origin: PackageOrigin;
let session: Session;

beforeAll(async () => {
  origin = await packageOrigin();
  bench = await workbench({});
  session = await bench.session({
    ...{ directories: [], accept: null, allow: [origin.grant] },
    policy: { caCertificates: origin.ca, indexes: origin.indexes },
  });
});
afterAll(async () => {
  await bench.close();
  await origin.close();
});

const walks = walksAt(() => ({ origin, folder: bench.packages }));

test.each(walks.map((it) => [it.title, it] as const))(
  'from plan to revocation: %s',
  async (_, { id, tool, publish, hasSmoke = false, resolved = /./, fetches }) => {
    const { installations } = session;
    const expectVersion = async (version: string) => {
      if (tool !== undefined)
        return expect(
          await resultOf(session.call({ tool, arguments: hasSmoke ? { text: 'a b' } : {} })),
        ).toMatchObject({ answer: version });
      const { packages } = await session.packages();
      const found = packages.find((it) => it.id === id);
      expect(JSON.stringify(found)).toContain(`Reviews a change, ${version}.`);
    };
    const source = publish('one');
    const first = await installations.plan({ source });
    expect([first.operation, first.package.id, first.blockers]).toEqual(['install', id, []]);
    expect(first.resolved).toMatch(resolved);
    if (fetches !== undefined) expect(first.dependencies).toEqual([fetches('one')]);
    expect(await installations.list()).toEqual([]);
    await installations.install({ source, agree: first.digest, by });
    await expectVersion('one');
    const smoke = hasSmoke ? 'passed' : 'none';
    expect(await installations.verify(id)).toMatchObject({ status: smoke });
    expect(await installations.outdated()).toEqual([]);

    publish('two');
    await expectVersion('one');
    expect(await installations.outdated()).toMatchObject([{ package: id, available: expect.any(String) }]);
    const second = await installations.plan({ package: id });
    expect(second).toMatchObject({ operation: 'update', from: { generation: 1 } });
    if (fetches !== undefined) expect(second.dependencies).toEqual([fetches('two')]);
    await installations.install({ package: id, agree: second.digest, by });
    await expectVersion('two');
    expect(await installations.verify(id)).toMatchObject({ status: smoke });

    await installations.rollback({ package: id, by });
    await expectVersion('one');
    const gone = await installations.revoke({ package: id, by, manualStepsDone: true });
    expect(gone.left).toEqual([]);
    expect(await installations.list()).toEqual([]);
    if (tool !== undefined)
      expect(await session.call({ tool, arguments: {} })).toMatchObject({
        status: 'denied',
        error: { code: 'disabled' },
      });
  },
  60_000,
);

test('without net.ca_file, git, pip and npm do not trust the same server', async () => {
  const without = await bench.session({
    ...{ directories: [], accept: null, allow: [origin.grant] },
    policy: { indexes: origin.indexes },
  });
  const { installations } = without;
  const install = async (source: string) => {
    const { digest } = await installations.plan({ source });
    return installations.install({ source, agree: digest, by });
  };
  const fetched = walks.filter((it) => /git|pip|npm|index/i.test(it.title));
  expect(fetched.length).toBeGreaterThan(3);
  for (const { title, publish } of fetched)
    await expect(install(publish('one')), title).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:network_failed|install_failed)$/),
    });
  expect(await installations.list()).toEqual([]);
}, 60_000);
