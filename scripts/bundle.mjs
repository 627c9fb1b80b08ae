import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** How all bundles find modules. */
export const resolve = {
  mainFields: ['module', 'main'],
  extensionAlias: { '.js': ['.ts', '.js'] },
  // For Node, yaml offers only CommonJS, which parses a third slower in a bundle than its ES modules. The code is the same.
  alias: { yaml: fileURLToPath(new URL('../browser/index.js', import.meta.resolve('yaml'))) },
};

/** One module with everything it imports; for generated code, benches and tests. */
export async function bundleModule(contents, resolveFrom, file, platform = 'node') {
  const entry = '\0entry';
  await build({
    input: entry,
    platform,
    resolve,
    external: platform === 'node' ? ['libsql', /^node:/] : [],
    plugins: [
      {
        name: 'entry',
        resolveId(id, importer) {
          if (id === entry) return entry;
          return importer === entry && !id.startsWith('node:')
            ? this.resolve(id, `${resolveFrom}/entry.js`)
            : null;
        },
        load: (id) => (id === entry ? contents : null),
      },
    ],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'warn',
  });
}
