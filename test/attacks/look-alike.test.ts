// SECURITY.md: "A package whose id looks like that of another one here …". A package takes a name that a hurried reader
// takes for another's.
import { afterEach, expect, test } from 'vitest';
import { patchTool } from '../toolwharf.js';
import { type Workbench, workbench } from '../workbench.js';

let bench: Workbench;
afterEach(() => bench.close());

const remarksIn = async (session: Awaited<ReturnType<Workbench['session']>>) =>
  Object.fromEntries((await session.packages()).packages.map((it) => [it.id, it.reasons.join('\n')]));

test('both say so, and one that looks like nobody says nothing', async () => {
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

test('one that turns up later says so before anybody agrees to it', async () => {
  bench = await workbench({ 'paypal.py': patchTool({ name: 'paypal' }) });
  expect((await remarksIn(await bench.session())).paypal).not.toContain('looks like');
  bench.write({ 'other.py': patchTool({ name: 'paypa1' }) });
  const session = await bench.session();
  const found = (await session.packages()).packages.find((it) => it.id === 'paypa1');
  expect(found?.state).toBe('needs-review');
  expect(found?.reasons.join('\n')).toContain('its id looks like paypal');
});
