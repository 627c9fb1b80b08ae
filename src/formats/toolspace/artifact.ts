import type { Bundle } from '../../model/bundle.js';
import { isObject, type JsonObject } from '../../model/json.js';
import type { ToolspaceReport } from './codes.js';
import { resolvePackagePath } from './runtime-rules.js';

/** A download that the package already has: the file must be what the manifest declares. */
export function checkArtifact(
  report: ToolspaceReport,
  manifest: JsonObject,
  file: string,
  bundle: Bundle,
): void {
  const declared = ((manifest.runtime as JsonObject).install as JsonObject).sha256;
  const actual = bundle.digest?.(file);
  if (actual === undefined || actual === declared) return;
  const message = `${file} has the SHA-256 ${actual}, but the manifest declares ${String(declared)}`;
  report.at('file.sha256', ['runtime', 'install', 'sha256'], message, {
    hint: 'get the file again from its author, or correct the digest: sha256sum prints it',
  });
}

const archiveName = /\.(?:zip|mcpb|whl|tar|tgz|tar\.gz)$/i;

/**
 * The file of the bundle that is the artifact of the download: the one with the name in the URL, else the one that the
 * entrypoint runs. Undefined if there is no download, or the bundle does not have the file.
 */
export function bundledArtifact({ runtime }: JsonObject, bundle: Bundle): string | undefined {
  const install = isObject(runtime) ? runtime.install : undefined;
  if (!isObject(runtime) || !isObject(install) || install.method !== 'url') return undefined;
  if (typeof install.url !== 'string' || typeof install.sha256 !== 'string') return undefined;
  const entrypoint = isObject(runtime.entrypoint) ? runtime.entrypoint : {};
  const folder = typeof entrypoint.cwd === 'string' ? resolvePackagePath(entrypoint.cwd) : '';
  const command = Array.isArray(entrypoint.command) ? entrypoint.command : [];
  const downloaded = fileNameIn(install.url);
  // The hash of an archive is not that of a file in it.
  const names = archiveName.test(downloaded) ? [downloaded] : [downloaded, ...command.flatMap(asPaths)];
  const files = new Set(bundle.files());
  for (const name of names) {
    const inFolder =
      name === '' || folder === undefined
        ? undefined
        : resolvePackagePath(`${folder}/${name}`.replace(/^\//, ''));
    const found = [inFolder, resolvePackagePath(name)].find(
      (it) => it !== undefined && it !== bundle.manifest && files.has(it),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The paths that an argument can mean: itself, or the module `a.b` of `python -m a.b`. */
function asPaths(argument: unknown): string[] {
  if (typeof argument !== 'string' || argument === '') return [];
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(argument)) return [argument];
  const path = argument.split('.').join('/');
  return [argument, `${path}.py`, `${path}/__main__.py`];
}

/** The last part of the path of a URL; empty if there is none. */
function fileNameIn(url: string): string {
  const part =
    /^[^?#]*\/([^/?#]+)(?:[?#]|$)/.exec(url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ''))?.[1] ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
