import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parsePackageName, releasePath } from '../../../src/registry/names/package-name.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';
import { TufOracle } from '../../support/tuf-oracle.js';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

test('another TUF client reads a release and its bytes, and finds no release that was not published', async () => {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const oracle = new TufOracle(readFileSync(join(bench.folder, 'metadata/1.root.json')));
  open.push(oracle);
  const path = (version: string) => releasePath({ name: parsePackageName('acme/weather'), version }, 4);
  const bytes = await oracle.read(bench.folder, path('1.0.0'));
  const [release] = (await (await bench.view()).namespace('acme'))?.releases ?? [];
  expect(bytes?.length).toBe(release?.bundle.length);
  expect(await oracle.read(bench.folder, path('2.0.0'))).toBeUndefined();
});
