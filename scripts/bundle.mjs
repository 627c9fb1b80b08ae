import { build } from 'rolldown';

/** One module with everything it imports; for generated code, benches and tests. */
export async function bundleModule(contents, resolveFrom, file, platform = 'node') {
  const entry = '\0entry';
  await build({
    input: entry,
    platform,
    resolve: { mainFields: ['module', 'main'], extensionAlias: { '.js': ['.ts', '.js'] } },
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
