// The code of this tree itself: nothing here is a copy of a rule.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleModule } from '../../scripts/bundle.mjs';

const root = new URL('../../', import.meta.url).pathname;

/** The checks, loaded, as one object. */
export async function engine() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-contribute-'));
  const file = join(folder, 'checks.mjs');
  try {
    await bundleModule(
      `export { checkTexts } from './src/registry/contribute/description/check-texts.ts';
       export { hiddenInFields } from './src/registry/contribute/text/hidden-text.ts';
       export { packageTexts } from './src/registry/contribute/text/package-texts.ts';
       export { checkContribution } from './src/registry/contribute/check-contribution.ts';
       export { discover } from './src/bundle/discover.ts';
       export { builtInFormats } from './src/formats/built-in-formats.ts';`,
      root,
      file,
    );
    return await import(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
