// SECURITY.md: "The kill switch stops everything". Programs start a few at a time. Programs that still
// wait for their start must not start after everything was stopped.
import { expect, test } from 'vitest';
import { running } from '../../support/processes.js';
import { serverPackage } from '../../support/server-package.js';
import { until } from '../../support/toolwharf.js';
import { workbench } from '../../support/workbench.js';

test('programs that wait for their start do not start after kill all', async () => {
  const silent = `on = { initialize: () => undefined, 'server/discover': () => undefined };`;
  const ids = Array.from({ length: 12 }, (_, index) => `slow-${index}`);
  const bench = await workbench(Object.assign({}, ...ids.map((id) => serverPackage(id, silent))));
  try {
    const opening = bench.host.session({
      principal: 'agent',
      directories: [bench.packages],
      root: bench.root,
    });
    await until(() => running().length >= 8, 10_000);
    const from = performance.now();
    await bench.host.kills.set('all', 'tester');
    // If one started now, the session would wait for its handshake timeout.
    const session = await opening;
    await until(() => running().length === 0, 2000);
    expect(performance.now() - from).toBeLessThan(4000);
    const { packages } = await session.packages();
    expect(packages.map((it) => it.state)).toEqual(ids.map(() => 'killed'));
    expect(running()).toEqual([]);
  } finally {
    await bench.close();
  }
}, 30_000);
