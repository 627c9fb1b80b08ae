// A package index on loopback: packages of our own node_modules with everything they need, and Python wheels.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';

const project = join(import.meta.dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Answers `/npm/NAME`, `/simple/NAME/` and the archives. */
export function packageMirror(
  npm: readonly string[],
  wheels: readonly { readonly name: string; readonly file: string; readonly bytes: Buffer }[],
): RequestListener {
  const archives = new Map<string, Buffer>();
  const documents = new Map<string, Record<string, object>>();
  for (const folder of closure(npm)) {
    const about = manifestIn(folder);
    const bytes = packed(folder);
    const path = `/archive/${archives.size}.tgz`;
    archives.set(path, bytes);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const version = { ...about, scripts: {}, dist: { integrity, tarball: path } };
    documents.set(about.name, { ...documents.get(about.name), [about.version]: version });
  }
  for (const { file, bytes } of wheels) archives.set(`/files/${file}`, bytes);
  return (request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const archive = archives.get(path);
    if (archive !== undefined) return response.end(archive);
    const origin = `http://${request.headers.host}`;
    const [, simple] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
    const links = wheels.filter((it) => it.name === simple);
    if (links.length > 0) {
      response.setHeader('content-type', 'text/html');
      const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
      const lines = links.map((it) => `<a href="/files/${it.file}#sha256=${hash(it.bytes)}">${it.file}</a>`);
      return response.end(`<!DOCTYPE html><html><body>${lines.join('\n')}</body></html>`);
    }
    const [, name = ''] = /^\/npm\/(.+)$/.exec(path) ?? [];
    const versions = documents.get(name);
    if (versions === undefined) return response.writeHead(404).end();
    const latest = Object.keys(versions).at(-1);
    const text = JSON.stringify({ name, 'dist-tags': { latest }, versions });
    return response.end(text.replaceAll('"tarball":"/', `"tarball":"${origin}/`));
  };
}

/** The folders of packages and of all that they need. */
function closure(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const include = (name: string, from: string) => {
    const folder = folderOf(name, from);
    if (found.has(folder)) return;
    found.add(folder);
    for (const it of Object.keys(manifestIn(folder).dependencies ?? {})) include(it, folder);
  };
  for (const it of names) include(it, project);
  return found;
}

/** Where Node would find a package. */
function folderOf(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed`);
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function packed(folder: string): Buffer {
  const args = ['-cz', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', folder, '.'];
  return execFileSync('tar', args, { maxBuffer: 64 * 1024 * 1024 });
}
