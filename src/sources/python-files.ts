import { normalizedName, readWheelName } from '../environment/wheel.js';
import { isObject, type Json } from '../model/json.js';

/** One file of a Python package as an index lists it. */
export interface PythonFile {
  readonly file: string;
  readonly version: string;
  readonly kind: 'wheel' | 'sdist';
  readonly url: string;
  /** Undefined if the index does not say. */
  readonly sha256: string | undefined;
  /** Why the authors withdrew it. Empty: without a reason. Undefined: they did not. */
  readonly yanked: string | undefined;
}

/** The JSON form of an index page (PEP 691). Files that are not of this package are left out. */
export function filesInJson(document: Json, name: string, base: string): readonly PythonFile[] {
  const files = isObject(document) && Array.isArray(document.files) ? document.files : [];
  return files.flatMap((it) => {
    if (!isObject(it) || typeof it.filename !== 'string' || typeof it.url !== 'string') return [];
    const hash = isObject(it.hashes) ? it.hashes.sha256 : undefined;
    const yanked = typeof it.yanked === 'string' ? it.yanked : it.yanked === true ? '' : undefined;
    return describe(name, it.filename, it.url, base, typeof hash === 'string' ? hash : undefined, yanked);
  });
}

/** The HTML form of an index page (PEP 503): one link per file. */
export function filesInHtml(html: string, name: string, base: string): readonly PythonFile[] {
  return [...html.matchAll(/<a\s([^>]{0,4000})>([^<]{0,300})<\/a>/gi)].flatMap(
    ([, attributes = '', text = '']) => {
      const href = attribute(attributes, 'href');
      if (href === undefined) return [];
      const [, hash] = /#sha256=([0-9a-fA-F]{64})$/.exec(href) ?? [];
      return describe(
        name,
        decoded(text).trim(),
        href.replace(/#.*$/, ''),
        base,
        hash,
        attribute(attributes, 'data-yanked'),
      );
    },
  );
}

function describe(
  name: string,
  file: string,
  href: string,
  base: string,
  hash: string | undefined,
  yanked: string | undefined,
): readonly PythonFile[] {
  const named = readPythonFileName(file, name);
  if (named === undefined || !URL.canParse(href, base)) return [];
  const sha256 = hash !== undefined && /^[0-9a-fA-F]{64}$/.test(hash) ? hash.toLowerCase() : undefined;
  return [{ ...named, file, url: new URL(href, base).href, sha256, yanked: yanked?.slice(0, 300) }];
}

/** Version and kind; undefined if the file belongs to another package or cannot be unpacked. */
export function readPythonFileName(
  file: string,
  name: string,
): { readonly version: string; readonly kind: 'wheel' | 'sdist' } | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9._+!-]{0,250}$/.test(file)) return undefined;
  const wheel = readWheelName(file);
  if (wheel !== undefined)
    return wheel.name === normalizedName(name) ? { version: wheel.version, kind: 'wheel' } : undefined;
  const [, stem = ''] = /^(.+)\.(?:tar\.gz|tgz|zip)$/.exec(file) ?? [];
  // Both the name and the version may contain a dash.
  for (let at = stem.indexOf('-'); at !== -1; at = stem.indexOf('-', at + 1))
    if (normalizedName(stem.slice(0, at)) === normalizedName(name) && /^\d/.test(stem.slice(at + 1)))
      return { version: stem.slice(at + 1), kind: 'sdist' };
  return undefined;
}

function attribute(text: string, name: string): string | undefined {
  const match = new RegExp(
    `(?:^|\\s)${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+)))?(?=\\s|$)`,
    'i',
  ).exec(text);
  return match === null ? undefined : decoded(match[1] ?? match[2] ?? match[3] ?? '');
}

function decoded(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#(\d{1,6});/g, (_, code) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/&amp;/g, '&');
}
