// A plugin for the build: large libraries that most starts do not use are evaluated at their first call. Sources import them
// as usual; a dynamic import would make every caller asynchronous.
const libraries = { tldts: ['parse'], re2js: ['RE2JS'] };
const mark = '\0lazy:';

export const lazyLibraries = {
  name: 'lazy-libraries',
  async resolveId(name, importer) {
    if (!(name in libraries) || !importer?.includes('/src/')) return null;
    const real = await this.resolve(name, importer, { skipSelf: true });
    return `${mark}${name}:${real.id}`;
  },
  load(id) {
    if (!id.startsWith(mark)) return null;
    const [name, ...path] = id.slice(mark.length).split(':');
    const exported = libraries[name].map(
      (it) =>
        `export const ${it} = new Proxy(function () {}, { get: (_, key) => library().${it}[key], apply: (_, self, args) => library().${it}(...args) });`,
    );
    return `let found;\nconst library = () => (found ??= require(${JSON.stringify(path.join(':'))}));\n${exported.join('\n')}\n`;
  },
};
