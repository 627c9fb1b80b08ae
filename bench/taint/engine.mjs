// The code of this tree itself: nothing here is a copy of a rule.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const src = new URL('../../src/policy/taint/', import.meta.url).pathname;
const parts = ['taint-session', 'read-tool-labels', 'tool-labels', 'value-index'];

/** The parts of the core, loaded, as one object. */
export async function engine() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-taint-'));
  try {
    const bundle = await rolldown({
      input: Object.fromEntries(parts.map((name) => [name, `${src}${name}.ts`])),
      platform: 'node',
      logLevel: 'silent',
    });
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
    const loaded = await Promise.all(
      parts.map((name) => import(pathToFileURL(join(folder, `${name}.mjs`)).href)),
    );
    return Object.assign({}, ...loaded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
