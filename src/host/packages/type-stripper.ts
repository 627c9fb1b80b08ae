// Turns TypeScript into JavaScript when a package is staged, so that its author needs no build step.
import { posix } from 'node:path';
import type { Node } from 'acorn';
import { transform } from 'sucrase';
import { parseScript } from '../../formats/javascript/script.js';
import { isOwnTypeScript } from '../../formats/javascript/typescript-files.js';
import type { Bundle } from '../../model/bundle.js';
import { HostError } from '../../model/host-error.js';
import { documentLimits, parseBounded } from '../../model/json-bounds.js';
import type { Package } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import { strippedPath } from '../../run/worker/command.js';

export interface StagedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * The JavaScript file to stage next to a TypeScript file; it replaces a file of the same name. Undefined for other
 * files.
 */
export type StripTypes = (path: string, bytes: Uint8Array) => StagedFile | undefined;

/**
 * Strips types and keeps line numbers. `x.ts` stays and gets `x.js` next to it, because TypeScript authors import
 * `./x.js`; stack traces name `x.ts`. Relative imports of `./x.ts` and `./x` are changed to the staged file. Packages
 * without programs for Node stay as they are. If the programs start from JavaScript, the TypeScript files are usually its
 * sources: then no file is replaced, and a file that cannot be stripped stays as it is.
 */
export function typeStripper(pkg: Package, bundle: Bundle): StripTypes {
  if (!pkg.programs.some(isForNode)) return () => undefined;
  const files = new Set(bundle.files());
  const isNeeded = pkg.programs.some((it) => isForNode(it) && startsTypeScript(it));
  return (path, bytes) => {
    if (!isOwnTypeScript(path)) return undefined;
    const text = decode(bytes);
    // Not text: `.ts` is also an extension of video files.
    if (text === undefined) return undefined;
    if (!isNeeded && (files.has(strippedPath(path)) || parseScript(text, 'typescript').kind !== 'program'))
      return undefined;
    const code = javaScript(path, text, {
      shown: bundle.display(path),
      exists: (it) => files.has(it),
      isCommonJs: path.endsWith('.cts') || (path.endsWith('.ts') && moduleType(bundle, path) === 'commonjs'),
    });
    return { path: strippedPath(path), bytes: new TextEncoder().encode(code) };
  };
}

function startsTypeScript({ target }: Program): boolean {
  const words = target.kind === 'process' ? target.command.flatMap((it) => it.parts) : [];
  return words.some((it) => it.kind === 'text' && isOwnTypeScript(it.text));
}

function isForNode({ target }: Program): boolean {
  return target.kind === 'process' && target.runtime?.language === 'node';
}

interface StripContext {
  readonly shown: string;
  readonly exists: (path: string) => boolean;
  readonly isCommonJs: boolean;
}

function javaScript(path: string, text: string, context: StripContext): string {
  const script = parseScript(text, 'typescript');
  if (script.kind === 'syntax-error') {
    const { line, column } = script.range;
    throw rejected(
      `${context.shown}:${line}:${column} is not valid TypeScript: ${script.message}`,
      script.hint,
    );
  }
  if (script.kind === 'unchecked')
    throw rejected(`${context.shown} cannot be parsed as TypeScript: ${script.reason}`);
  // Cannot run forever: `parseScript` parsed the text with a limit before.
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  const linked = relink(code, specifiersOf(script.program), (it) => locate(path, it, context.exists));
  return `${context.isCommonJs ? commonJs(linked) : linked}\n//# sourceURL=${encodeURI(path)}\n`;
}

/** Turns imports and exports into CommonJS, and keeps line numbers. */
function commonJs(code: string): string {
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

/** All string literals that name a module. */
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

/** The specifier of the file that the author meant; unchanged if no such file exists. */
function locate(from: string, specifier: string, exists: (path: string) => boolean): string {
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return specifier;
  const target = posix.join(posix.dirname(from), specifier);
  if (exists(target)) return strippedPath(specifier);
  // `./x.js` may mean `x.ts`, whose JavaScript is staged as `x.js`.
  if (/\.[cm]?js$/.test(target) && exists(target.replace(/js$/, 'ts'))) return specifier;
  const bare = specifier.replace(/\/$/, '');
  for (const inner of ['', '/index']) {
    const ending = endings.find((it) => exists(posix.normalize(`${target.replace(/\/$/, '')}${inner}${it}`)));
    if (ending !== undefined) return strippedPath(`${bare}${inner}${ending}`);
  }
  return specifier;
}

/** `type` of the nearest package.json. */
function moduleType(bundle: Bundle, path: string): string | undefined {
  for (let folder = posix.dirname(path); ; folder = posix.dirname(folder)) {
    const entry = bundle.read(posix.join(folder, 'package.json'));
    if (entry.kind === 'file') return typeIn(entry.bytes);
    if (folder === '.') return undefined;
  }
}

function typeIn(bytes: Uint8Array): string | undefined {
  try {
    const value = parseBounded(new TextDecoder().decode(bytes), documentLimits);
    const { type } = value as { type?: unknown };
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

function rejected(message: string, hint = 'fix it, or remove it from the package'): HostError {
  return new HostError('invalid_manifest', message, { hint });
}
