// TypeScript becomes JavaScript when a package is staged, so that its author needs no build step.
import { posix } from 'node:path';
import type { Node } from 'acorn';
import { transform } from 'sucrase';
import { readScript } from '../formats/javascript/script.js';
import type { Bundle } from '../model/bundle.js';
import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import type { Program } from '../model/program.js';
import { isTypeScript, strippedPath } from '../run/worker/command.js';

export interface StagedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The JavaScript that is staged beside a file of a package, over what has that name; undefined for other files. */
export type Strip = (path: string, bytes: Uint8Array) => StagedFile | undefined;

/**
 * Same lines, same folders: `x.ts` keeps its place and gets `x.js` beside it, which is what `./x.js` means to a
 * TypeScript author, and which names `x.ts` in its stack traces. Relative imports of `./x.ts` and `./x` are made to name
 * the file that is there. Packages without programs for Node are left alone.
 */
export function stripper(of: Package, bundle: Bundle): Strip {
  if (!of.programs.some(isForNode)) return () => undefined;
  const files = new Set(bundle.files());
  return (path, bytes) => {
    if (!isOwnTypeScript(path)) return undefined;
    const text = decode(bytes);
    // Films have this ending too.
    if (text === undefined) return undefined;
    const code = javaScript(path, text, {
      shown: bundle.display(path),
      exists: (it) => files.has(it),
      isOlder: path.endsWith('.cts') || (path.endsWith('.ts') && moduleType(bundle, path) === 'commonjs'),
    });
    return { path: strippedPath(path), bytes: new TextEncoder().encode(code) };
  };
}

function isForNode({ target }: Program): boolean {
  return target.kind === 'process' && target.runtime?.language === 'node';
}

/** What others published is run as they published it. */
function isOwnTypeScript(path: string): boolean {
  return isTypeScript(path) && !/(?:^|\/)node_modules\//.test(path);
}

interface Surroundings {
  readonly shown: string;
  readonly exists: (path: string) => boolean;
  /** The package says that its files are of the older module system. */
  readonly isOlder: boolean;
}

function javaScript(path: string, text: string, around: Surroundings): string {
  const script = readScript(text, 'typescript');
  if (script.kind === 'mistake') {
    const { line, column } = script.range;
    throw refused(`${around.shown}:${line}:${column} cannot be read as TypeScript: ${script.message}`);
  }
  if (script.kind === 'unread')
    throw refused(`${around.shown} cannot be read as TypeScript: ${script.reason}`);
  // It was read once with its cost counted, so this ends.
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  const lost = lostNamespace(text, code);
  if (lost !== undefined) {
    throw refused(
      `${around.shown}:${lost.line}:1 has a namespace ${lost.name} that is used as a value; only its types can be stripped`,
    );
  }
  const linked = relink(code, specifiersOf(script.program), (it) => locate(path, it, around.exists));
  return `${around.isOlder ? older(linked) : linked}\n//# sourceURL=${encodeURI(path)}\n`;
}

/** A namespace vanishes as a whole, which is right for types only. What stayed in the code stood in a text. */
function lostNamespace(text: string, code: string): { name: string; line: number } | undefined {
  for (const match of text.matchAll(
    /^[ \t]*(?:export\s+)?(?:namespace|module)\s+([A-Za-z_$][\w$]*)[\w$.]*\s*\{/gm,
  )) {
    const name = match[1] as string;
    const isUsed = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(code);
    if (isUsed && !code.includes(match[0].trim()))
      return { name, line: text.slice(0, match.index).split('\n').length };
  }
  return undefined;
}

/** The same statements for the older module system, line by line. */
function older(code: string): string {
  return transform(code, {
    transforms: ['imports'],
    disableESTransforms: true,
    preserveDynamicImport: true,
    keepUnusedImports: true,
  }).code;
}

interface Literal extends Node {
  readonly value: string;
}

/** Every constant text that names a module. */
function specifiersOf(program: Node): Literal[] {
  const found: Literal[] = [];
  const pending: unknown[] = [program];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) pending.push(...next);
    else if (isNode(next)) {
      const source = sourceOf(next);
      if (isNode(source) && source.type === 'Literal' && typeof source.value === 'string')
        found.push(source as unknown as Literal);
      pending.push(...Object.values(next).filter((it) => typeof it === 'object' && it !== null));
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

type AnyNode = Node & Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

function sourceOf(node: AnyNode): unknown {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return node.source;
    case 'CallExpression': {
      const { callee } = node;
      const isRequire = isNode(callee) && callee.type === 'Identifier' && callee.name === 'require';
      return isRequire ? (node.arguments as unknown[])[0] : undefined;
    }
    default:
      return undefined;
  }
}

function relink(code: string, specifiers: readonly Literal[], locate: (it: string) => string): string {
  let linked = '';
  let at = 0;
  for (const { start, end, value } of specifiers) {
    const target = locate(value);
    linked += code.slice(at, start) + (target === value ? code.slice(start, end) : JSON.stringify(target));
    at = end;
  }
  return linked + code.slice(at);
}

const endings = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '.json'];

/** The specifier that leads to the file its author meant; unchanged where nothing is known. */
function locate(from: string, specifier: string, exists: (path: string) => boolean): string {
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return specifier;
  const target = posix.join(posix.dirname(from), specifier);
  if (exists(target)) return strippedPath(specifier);
  // A name that ends like JavaScript means the TypeScript beside it, which is staged under that very name.
  if (/\.[cm]?js$/.test(target) && exists(target.replace(/js$/, 'ts'))) return specifier;
  const bare = specifier.replace(/\/$/, '');
  for (const inner of ['', '/index']) {
    const ending = endings.find((it) => exists(posix.normalize(`${target.replace(/\/$/, '')}${inner}${it}`)));
    if (ending !== undefined) return strippedPath(`${bare}${inner}${ending}`);
  }
  return specifier;
}

/** What the nearest package.json says. */
function moduleType(bundle: Bundle, path: string): string | undefined {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const entry = bundle.read(posix.join(folder, 'package.json'));
    if (entry.kind === 'file') return typeIn(entry.bytes);
    if (folder === '.') return undefined;
  }
}

function typeIn(bytes: Uint8Array): string | undefined {
  try {
    const { type } = JSON.parse(new TextDecoder().decode(bytes)) as { type?: unknown };
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(message: string): HostError {
  return new HostError('invalid_manifest', message, { hint: 'mend it, or keep it out of the package' });
}
