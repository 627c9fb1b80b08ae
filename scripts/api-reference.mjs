// Writes docs/api.md: every public name of the library with its TSDoc comment and declaration, read from dist/types.
// `node scripts/build.mjs && node scripts/api-reference.mjs`
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const entries = [
  { title: '`toolwharf`', file: 'index.d.ts' },
  { title: '`toolwharf/formats`', file: 'formats/index.d.ts' },
];
const kinds = ['function', 'class', 'const', 'interface', 'type'];

/** The whole page as text. */
export function apiReference(types = join(root, 'dist/types')) {
  const parts = entries.map(({ title, file }) => {
    const names = publicNames(join(types, file)).sort(
      (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.name.localeCompare(b.name),
    );
    return [`## ${title}`, ...names.map(sectionOf)].join('\n\n');
  });
  return `${[
    '# API reference',
    'Every name that the package exports, with its declaration. [library.md](library.md) explains how to use them. This page is written by `node scripts/api-reference.mjs` from the comments in the source.',
    ...parts,
  ].join('\n\n')}\n`;
}

/** Types that a public declaration names, and that no entry of the package exports, as `name (used by name)`. */
export function unexportedTypes(types = join(root, 'dist/types')) {
  const all = entries.map(({ file }) => publicNames(join(types, file)));
  const exported = new Set(all.flat().map((it) => it.name));
  return all.flatMap((names) => {
    return names.flatMap(({ name, text, file: from }) => {
      // Comments name types too, and a member may have the name of a type.
      const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\b\w+(?=\??:)/g, '');
      return typesIn(readFileSync(from, 'utf8'))
        .filter((it) => !exported.has(it) && new RegExp(`\\b${it}\\b`).test(code))
        .map((it) => `${it} (used by ${name})`);
    });
  });
}

/** The types that a declaration file imports from our own files or declares. */
function typesIn(source) {
  const imported = [...source.matchAll(/^import (?:type )?\{([^}]*)\} from '\.[^']*';/gm)].flatMap(
    ([, list]) =>
      list.split(',').map((it) =>
        it
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      ),
  );
  const declared = [...source.matchAll(/^(?:export )?(?:declare )?(?:class|interface|type) (\w+)/gm)].map(
    ([, name]) => name,
  );
  return [...new Set([...imported, ...declared])].filter((it) => it !== '');
}

function sectionOf({ name, comment, text }) {
  const prose = comment === '' ? [] : [comment];
  return [`### ${name}`, ...prose, `\`\`\`ts\n${text}\n\`\`\``].join('\n\n');
}

/** What a declaration file exports, its own declarations and those of other files. */
function publicNames(file) {
  const source = readFileSync(file, 'utf8');
  const found = declarationsOf(source).map((it) => ({ ...it, file }));
  for (const [, list, from] of source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)) {
    const target = join(dirname(file), from.replace(/\.js$/, '.d.ts'));
    const wanted = new Set(list.split(',').map((it) => it.trim().replace(/^type /, '')));
    found.push(...publicNames(target).filter((it) => wanted.has(it.name)));
  }
  return found;
}

const declaration =
  /^(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (?:declare )?(function|class|const|interface|type) (\w+)/gm;

function declarationsOf(source) {
  return [...source.matchAll(declaration)].map((match) => {
    const [whole, comment = '', kind, name] = match;
    const start = match.index + whole.lastIndexOf('export ');
    const text = source.slice(start, endOf(source, start, kind)).replace(/^export (?:declare )?/, '');
    const prose = comment
      .split('\n')
      .map((line) => line.replace(/^\s*\* ?/, '').trim())
      .filter((line) => line !== '')
      .join(' ')
      .trim();
    return { kind, name, comment: prose, text };
  });
}

/** Where a declaration ends: at its closing brace, or at the semicolon behind it. */
function endOf(source, start, kind) {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1;
    else if ('{[('.includes(source[at])) depth += 1;
    else if ('}])'.includes(source[at])) {
      depth -= 1;
      if (depth === 0 && source[at] === '}' && (kind === 'interface' || kind === 'class')) return at + 1;
    } else if (depth === 0 && source[at] === ';') return at + 1;
  }
  throw new Error('a declaration has no end');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(root, 'docs/api.md'), apiReference());
