// SECURITY.md: the kill switch refuses new calls at once, ends running ones, and nothing is started after it.
// Programs come up a few at a time: those that wait for their turn must not come up when everything was stopped meanwhile.
import { expect, test } from 'vitest';
import { running } from '../processes.js';
import { until } from '../toolwharf.js';
import { workbench } from '../workbench.js';
import { serverPackage } from './server-package.js';

test('programs that wait for their turn do not come up after everything was stopped', async () => {
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
    // One that came up now would be waited for as long as a handshake may take.
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
