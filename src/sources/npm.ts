import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { LockedSource, NpmSource } from '../model/source.js';
import { type Downloaded, downloadFile, fetchText, parseIndexJson, type Remote } from './download.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { assertHash } from './hash-check.js';
import { npmRegistry, onIndex } from './index-access.js';
import type { AcquireOptions, SourceNote } from './source.js';
import { isNamedTag, resolveNpmRange } from './versions/npm-range.js';

type LockedNpm = Extract<LockedSource, { kind: 'npm' }>;

/** One version as the registry describes it. */
interface NpmVersion {
  readonly version: string;
  readonly tarball: Remote;
  /** Such as `sha512-…`. Absent for very old packages. */
  readonly integrity: string | undefined;
  readonly shasum: string | undefined;
  readonly deprecated: string | undefined;
  /** Names of its commands. */
  readonly commands: readonly string[];
  /** What the tag means now, if the range is a tag other than `latest`. */
  readonly tagged: string | undefined;
}

/** The version that the range means now. Undefined if the registry has no strong hash, so that only a download can tell. */
export async function lockNpm(source: NpmSource, options: AcquireOptions): Promise<LockedNpm | undefined> {
  const { version, integrity } = await resolveNpmSource(source, options);
  const strong = integrity?.split(/\s+/).find((it) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(it));
  return strong === undefined ? undefined : { ...source, version, integrity: strong };
}

/** The names of the commands that a package has, in the version that the range means now. */
export async function npmCommands(source: NpmSource, options: AcquireOptions): Promise<readonly string[]> {
  return (await resolveNpmSource(source, options)).commands;
}

async function resolveNpmSource(source: NpmSource | LockedNpm, options: AcquireOptions): Promise<NpmVersion> {
  options.onProgress?.({ step: 'resolve', detail: source.name });
  const registry = await npmRegistry(options);
  const url = `${registry.url}${source.name.replace('/', '%2f')}`;
  const { host } = new URL(url);
  const accept = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8';
  const { text } = await fetchText({ ...registry, url }, accept, options);
  const document = parseIndexJson(text, host);
  const versions = objectOf(objectOf(document).versions);
  const tags = Object.entries(objectOf(objectOf(document)['dist-tags'])).filter(
    (it): it is [string, string] => typeof it[1] === 'string',
  );
  const meant = resolveNpmRange(Object.keys(versions), source.range, Object.fromEntries(tags));
  const version = 'version' in source ? source.version : meant;
  const found = version === undefined || !Object.hasOwn(versions, version) ? undefined : versions[version];
  if ('version' in source && !isObject(found))
    throw new HostError(
      'integrity',
      `${host} no longer has the version that the lock names: expected ${source.name}@${version}, found ${meant ?? 'none'} for ${source.range}`,
      { hint: 'ask the author why it was removed' },
    );
  if (version === undefined || !isObject(found))
    throw new HostError(
      'not_found',
      `${host} has no version of ${source.name} that matches ${source.range}`,
      {
        hint: `it has ${describeVersions(Object.keys(versions))}`,
      },
    );
  const tagged = isNamedTag(source.range) ? meant : undefined;
  return { ...describeVersion(source.name, version, found, registry), tagged };
}

export async function fetchNpm(
  source: NpmSource | LockedNpm,
  options: FetchOptions,
): Promise<FetchedSource<LockedNpm>> {
  const found = await resolveNpmSource(source, options);
  const path = join(options.folder, 'package.tgz');
  const what = `npm:${source.name}@${found.version}`;
  const archive = await downloadFile(found.tarball, path, options);
  if (found.integrity !== undefined) assertIntegrity(what, found.integrity, archive);
  else
    assertHash(what, found.shasum === undefined ? undefined : `sha1 ${found.shasum}`, `sha1 ${archive.sha1}`);
  const integrity = `sha512-${archive.sha512}`;
  if ('integrity' in source) assertIntegrity(what, source.integrity, archive);
  const { name, range } = source;
  const notes: SourceNote[] = [];
  if (found.deprecated !== undefined)
    notes.push({
      code: 'deprecated',
      text: `the authors of ${what} advise against it: ${found.deprecated}`,
    });
  if (found.tagged !== undefined && found.tagged !== found.version)
    notes.push({
      code: 'moved',
      text: `the tag ${range} of npm:${name} was moved: the lock has ${found.version}, now it is ${found.tagged}`,
    });
  return {
    locked: { kind: 'npm', name, range, version: found.version, integrity },
    content: { kind: 'archive', path, withoutTopFolder: true },
    notes,
    isTag: found.tagged !== undefined,
  };
}

/** The text may list several hashes; the strongest one counts. */
function assertIntegrity(what: string, expected: string, archive: Downloaded): void {
  const found = [
    `sha512-${archive.sha512}`,
    `sha256-${Buffer.from(archive.sha256, 'hex').toString('base64')}`,
    `sha1-${Buffer.from(archive.sha1, 'hex').toString('base64')}`,
  ];
  const hashes = expected.split(/\s+/).map((it) => it.replace(/\?.*$/, ''));
  for (const it of found) {
    const [algorithm = ''] = it.split('-');
    const known = hashes.find((hash) => hash.startsWith(`${algorithm}-`));
    if (known === undefined) continue;
    assertHash(what, known, it);
    return;
  }
  assertHash(what, expected, found[0] as string);
}

function describeVersion(
  name: string,
  version: string,
  found: JsonObject,
  registry: Remote,
): Omit<NpmVersion, 'tagged'> {
  const dist = objectOf(found.dist);
  const { tarball } = dist;
  if (typeof tarball !== 'string' || !/^https?:\/\//.test(tarball) || !URL.canParse(tarball))
    throw new HostError('network_failed', `the registry names no archive of ${name}@${version}`);
  return {
    version,
    tarball: archivePlace(name, tarball, registry),
    integrity: textOf(dist.integrity),
    shasum: textOf(dist.shasum),
    deprecated: textOf(found.deprecated)?.slice(0, 300),
    commands:
      typeof found.bin === 'string'
        ? [name.replace(/^@[^/]*\//, '')]
        : Object.keys(objectOf(found.bin)).map((it) => it.replace(/^@[^/]*\//, '')),
  };
}

/** A configured registry serves the archives itself, even if it copied the addresses of another one. */
function archivePlace(name: string, tarball: string, registry: Remote): Remote {
  const url = new URL(tarball);
  if (registry.configured !== true || url.origin === new URL(registry.url).origin)
    return onIndex(registry, tarball);
  return { ...registry, url: `${registry.url}${name}/-/${url.pathname.split('/').at(-1)}` };
}

function describeVersions(versions: readonly string[]): string {
  if (versions.length === 0) return 'no versions';
  const last = versions.slice(-5).join(', ');
  return versions.length > 5 ? `${versions.length} versions, such as ${last}` : last;
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
