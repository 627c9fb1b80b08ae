import { existsSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sha256Of } from '../environment/file-tree.js';
import { normalizedName } from '../environment/wheel.js';
import { HostError } from '../model/host-error.js';
import type { LockedSource, PypiSource } from '../model/source.js';
import { downloadFile, fetchText, parseIndexJson, type Remote } from './download.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { assertHash } from './hash-check.js';
import { onIndex, pythonIndex } from './index-access.js';
import { filesInHtml, filesInJson, type PythonFile, readPythonFileName } from './python-files.js';
import type { AcquireOptions, SourceNote } from './source.js';
import { resolvePep440 } from './versions/pep440.js';

type LockedPypi = Extract<LockedSource, { kind: 'pypi' }>;

interface ChosenFile extends PythonFile {
  readonly place: Remote;
}

/** The file that the range means now. Undefined if the index has no hash, so that only a download can tell. */
export async function lockPypi(source: PypiSource, options: AcquireOptions): Promise<LockedPypi | undefined> {
  const { version, file, sha256 } = await resolvePypiSource(source, options);
  return sha256 === undefined ? undefined : { ...source, version, file, sha256 };
}

/** The file to download. Withdrawn versions are taken only if a lock names them. */
async function resolvePypiSource(
  source: PypiSource | LockedPypi,
  options: AcquireOptions,
): Promise<ChosenFile> {
  options.onProgress?.({ step: 'resolve', detail: source.name });
  const { files, index, where } = await listFiles(source.name, options);
  const chosen = 'file' in source ? lockedFile(source, files, where) : newestFile(source, files, where);
  return { ...chosen, place: index === undefined ? { url: chosen.url } : onIndex(index, chosen.url) };
}

export async function fetchPypi(
  source: PypiSource | LockedPypi,
  options: FetchOptions,
): Promise<FetchedSource<LockedPypi>> {
  const chosen = await resolvePypiSource(source, options);
  const path = join(options.folder, 'package');
  const what = `pypi:${source.name}==${chosen.version} (${chosen.file})`;
  let found: string;
  if (chosen.place.url.startsWith('file:')) {
    await copyFile(new URL(chosen.place.url), path);
    found = await sha256Of(path);
  } else found = (await downloadFile(chosen.place, path, options)).sha256;
  assertHash(what, chosen.sha256, found);
  if ('sha256' in source) assertHash(what, source.sha256, found);
  const { name, range } = source;
  const notes: SourceNote[] =
    chosen.yanked === undefined
      ? []
      : [
          {
            code: 'yanked',
            text: `the authors withdrew ${what}${chosen.yanked === '' ? '' : `: ${chosen.yanked}`}`,
          },
        ];
  return {
    locked: { kind: 'pypi', name, range, version: chosen.version, file: chosen.file, sha256: found },
    content: { kind: 'archive', path, withoutTopFolder: chosen.kind === 'sdist' },
    notes,
  };
}

async function listFiles(name: string, options: AcquireOptions) {
  const { findLinks = [], pythonIndex: configured } = options.services.indexes;
  const local = await filesInFolders(findLinks, name);
  if (findLinks.length > 0 && configured === undefined)
    return { files: local, index: undefined, where: 'the configured folders' };
  const index = await pythonIndex(options);
  const url = `${index.url}${normalizedName(name)}/`;
  const accept =
    'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';
  const { text, headers } = await fetchText({ ...index, url }, accept, options);
  const { host } = new URL(url);
  const isJson = /json/i.test(headers['content-type'] ?? '');
  const listed = isJson ? filesInJson(parseIndexJson(text, host), name, url) : filesInHtml(text, name, url);
  return { files: [...local, ...listed], index, where: host };
}

async function filesInFolders(folders: readonly string[], name: string): Promise<readonly PythonFile[]> {
  const files: PythonFile[] = [];
  for (const folder of folders)
    for (const file of existsSync(folder) ? await readdir(folder) : []) {
      const named = readPythonFileName(file, name);
      if (named === undefined) continue;
      const url = pathToFileURL(join(folder, file)).href;
      files.push({ ...named, file, url, sha256: undefined, yanked: undefined });
    }
  return files;
}

function lockedFile(source: LockedPypi, files: readonly PythonFile[], where: string): PythonFile {
  const found = files.find((it) => it.file === source.file);
  const known = files.map((it) => it.file).slice(-5);
  if (found === undefined)
    throw new HostError(
      'integrity',
      `${where} no longer has the file that the lock names: expected ${source.file}, found ${known.join(', ') || 'none'}`,
      { hint: 'use an index that keeps it, or update the lock' },
    );
  return found;
}

function newestFile({ name, range }: PypiSource, files: readonly PythonFile[], where: string): PythonFile {
  const usable = files.filter((it) => it.yanked === undefined);
  const version = resolvePep440([...new Set(usable.map((it) => it.version))], range);
  if (version !== undefined)
    return bestFile(
      usable.filter((it) => it.version === version),
      `${name} ${version}`,
      where,
    );
  const withdrawn = resolvePep440([...new Set(files.map((it) => it.version))], range);
  if (withdrawn !== undefined) {
    const reason = files.find((it) => it.version === withdrawn)?.yanked;
    throw new HostError(
      'not_found',
      `the authors withdrew ${name} ${withdrawn}${reason ? `: ${reason}` : ''}; no other version matches ${range}`,
      { hint: 'choose another version' },
    );
  }
  const known = [...new Set(files.map((it) => it.version))];
  throw new HostError(
    'not_found',
    `${where} has no version of ${name} that matches ${range || 'any version'}`,
    {
      hint: known.length === 0 ? 'check the name' : `it has ${known.slice(-5).join(', ')}`,
    },
  );
}

/** A wheel for every platform, else the source archive. Nothing is built or run. */
function bestFile(files: readonly PythonFile[], what: string, where: string): PythonFile {
  const sorted = [...files].sort((a, b) => (a.file < b.file ? -1 : 1));
  const best =
    sorted.find((it) => it.kind === 'wheel' && it.file.endsWith('-none-any.whl')) ??
    sorted.find((it) => it.kind === 'sdist');
  if (best !== undefined) return best;
  throw new HostError(
    'not_supported',
    `${where} has ${what} only for certain platforms, which is not a package of files`,
    {
      hint: 'choose a version with a wheel for all platforms or a source archive',
    },
  );
}
