// SECURITY.md: "Look-alike names are shown". A package uses an id that looks like the id of another package.
import { afterEach, expect, test } from 'vitest';
import { patchTool } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

let bench: Workbench;
afterEach(() => bench.close());

const remarksIn = async (session: Awaited<ReturnType<Workbench['session']>>) =>
  Object.fromEntries((await session.packages()).packages.map((it) => [it.id, it.reasons.join('\n')]));

test('two packages with look-alike ids are both marked, and others are not', async () => {
  bench = await workbench({
    'paypal.py': patchTool({ name: 'paypal' }),
    'paypa1.py': patchTool({ name: 'paypa1' }),
    'weather.py': patchTool({ name: 'weather' }),
  });
  const remarks = await remarksIn(await bench.session());
  expect(remarks.paypal).toContain('its id looks like paypa1');
  expect(remarks.paypa1).toContain('its id looks like paypal');
  expect(remarks.weather).not.toContain('looks like');
});

test('a new package with a look-alike id is marked before it is accepted', async () => {
  bench = await workbench({ 'paypal.py': patchTool({ name: 'paypal' }) });
  expect((await remarksIn(await bench.session())).paypal).not.toContain('looks like');
  bench.write({ 'other.py': patchTool({ name: 'paypa1' }) });
  const session = await bench.session();
  const found = (await session.packages()).packages.find((it) => it.id === 'paypa1');
  expect(found?.state).toBe('needs-review');
  expect(found?.reasons.join('\n')).toContain('its id looks like paypal');
});
