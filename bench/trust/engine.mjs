// The code of this tree itself, put together for a bench: nothing here is a copy.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const src = new URL('../../src/', import.meta.url).pathname;

const parts = {
  patterns: 'policy/scan/patterns',
  known: 'policy/scan/known-values',
  redact: 'policy/scan/redact-secrets',
  scanner: 'host/call/secret-scanner',
  exit: 'host/call/output-scan',
  error: 'model/host-error',
  entry: 'host/call/input-scan',
  personal: 'policy/guardrails/redact-personal',
  destination: 'net/destination',
  egress: 'net/egress-policy',
};

/** The parts by their names, loaded. */
export async function engine() {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-trust-'));
  try {
    const bundle = await rolldown({
      input: Object.fromEntries(Object.entries(parts).map(([name, path]) => [name, `${src}${path}.ts`])),
      platform: 'node',
      logLevel: 'silent',
    });
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
    const loaded = await Promise.all(
      Object.keys(parts).map(async (name) => [
        name,
        await import(pathToFileURL(join(folder, `${name}.mjs`)).href),
      ]),
    );
    return Object.fromEntries(loaded);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
