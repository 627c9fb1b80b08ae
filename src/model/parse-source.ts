import { isObject } from './json.js';
import { documentLimits, tryParseBounded } from './json-bounds.js';
import type { Source } from './source.js';

/** A text that is not a source. */
export interface SourceProblem {
  readonly problem: string;
  readonly hint: string;
}

/** What is at a path. The caller looks it up, so that reading the text stays a plain function. */
export interface PathLookup {
  readonly kind: 'folder' | 'file' | 'missing';
  /** The absolute path. */
  readonly path: string;
}

export interface ParseSourceOptions {
  readonly lookUp: (path: string) => PathLookup;
  /** A hash that was given beside the text, for archives and https. */
  readonly sha256?: string | undefined;
}

const npmName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;
const npmRange = /^[\^~<>=*xX\dA-Za-z][\^~<>=|*.+\dA-Za-z\s-]*$/;
const pypiSpec = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*((?:===|==|~=|!=|<=|>=|<|>)[^;@[\]]*)?$/;
const pypiClause = /^(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*$/;
const registryName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?$/;
const imageName = /^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+$/;
const imageTag = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const imageDigest = /^sha256:[a-f0-9]{64}$/;
const sha256Pattern = /^[0-9a-f]{64}$/;
const archiveEnding = /\.(?:zip|tgz|tar|tar\.gz|mcpb|whl)$/i;

/** Whether a file name says that the file is an archive which can be unpacked. */
export function isArchiveName(name: string): boolean {
  return archiveEnding.test(name);
}

/** Reads a source as a person writes it. */
export function parseSource(text: string, options: ParseSourceOptions): Source | SourceProblem {
  if (/[\u0000-\u001f\u007f]/.test(text))
    return problem('the source contains a control character', 'check how the text was copied');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case 'https':
      return withoutOtherHash(parseHttps(text, options.sha256), options.sha256);
    case 'git+https':
      return withoutOtherHash(parseGit(text.slice('git+'.length)), options.sha256);
    case 'npm':
      return withoutOtherHash(parseNpm(text.slice('npm:'.length)), options.sha256);
    case 'pypi':
      return withoutOtherHash(parsePypi(text.slice('pypi:'.length)), options.sha256);
    case 'oci':
      return withoutOtherHash(parseOci(text.slice('oci:'.length)), options.sha256);
    case 'registry':
      return withoutOtherHash(parseRegistry(text.slice('registry:'.length)), options.sha256);
    case 'mcp':
      return withoutOtherHash(parseServer(text.slice('mcp:'.length)), options.sha256);
    case 'http':
    case 'git+http':
      return problem('plain http can be changed on its way', `write ${text.replace(/http:/i, 'https:')}`);
    case 'git+ssh':
    case 'git+file':
    case 'git':
    case 'ssh':
      return problem(
        `git sources use https, not ${scheme}`,
        'write git+https://HOST/REPOSITORY#REVISION; for a folder of this machine write its path',
      );
    default:
      return withoutOtherHash(parsePath(text, options), options.sha256);
  }
}

function parsePath(text: string, { lookUp, sha256 }: ParseSourceOptions): Source | SourceProblem {
  if (text === '')
    return problem('the source is empty', 'write a path, a URL, or npm:, pypi:, oci:, registry:');
  const { kind, path } = lookUp(text);
  if (kind === 'missing') {
    const hint = /^[\w.-]+\.[a-z]{2,}\//i.test(text)
      ? `for a web address write https://${text}`
      : 'write a path that exists, https://…, git+https://…#REVISION, npm:NAME@RANGE, pypi:NAME==VERSION or oci:IMAGE';
    return problem(`there is no file or folder ${text}`, hint);
  }
  if (kind === 'folder') return { kind: 'folder', path };
  if (!isArchiveName(path)) return { kind: 'file', path };
  if (sha256 === undefined) return { kind: 'archive', path };
  return sha256Pattern.test(sha256) ? { kind: 'archive', path, sha256 } : wrongHash(sha256);
}

function parseHttps(text: string, given: string | undefined): Source | SourceProblem {
  const url = plainUrl(text);
  if (!(url instanceof URL)) return url;
  const fragment = url.hash.slice(1);
  const href = url.href.slice(0, url.href.length - url.hash.length).replace(/#$/, '');
  const named = /^sha256[=:](.*)$/.exec(fragment)?.[1];
  if (fragment !== '' && named === undefined)
    return problem(
      `${text} ends with #${fragment}, which means nothing here`,
      'remove it, or write #sha256=HASH',
    );
  if (named !== undefined && given !== undefined && named.toLowerCase() !== given.toLowerCase())
    return problem('the URL and the option name different hashes', 'give the hash once');
  const sha256 = (named ?? given)?.toLowerCase();
  if (sha256 === undefined) return { kind: 'https', url: href };
  return sha256Pattern.test(sha256) ? { kind: 'https', url: href, sha256 } : wrongHash(sha256);
}

function parseGit(text: string): Source | SourceProblem {
  const url = plainUrl(text);
  if (!(url instanceof URL)) return url;
  const fragment = text.slice(text.indexOf('#') + 1);
  if (!text.includes('#') || fragment === '')
    return problem(
      'the git source has no revision',
      `write git+${url.href}#REVISION with a commit, tag or branch`,
    );
  const href = url.href.slice(0, url.href.length - url.hash.length);
  if (url.search !== '')
    return problem('the URL of a git source has no "?"', 'remove everything from "?" on');
  const at = fragment.indexOf(':');
  const revision = at === -1 ? fragment : fragment.slice(0, at);
  if (!isRevision(revision))
    return problem(
      `${JSON.stringify(revision)} is not a commit, tag or branch`,
      'write a full commit id, or the name of a tag',
    );
  const source = { kind: 'git', url: href, revision } as const;
  if (at === -1) return source;
  const subfolder = fragment.slice(at + 1).replace(/\/$/, '');
  if (subfolder.split('/').some((it) => it === '' || it === '.' || it === '..') || subfolder.includes('\\'))
    return problem(
      `${JSON.stringify(subfolder)} is not a folder of the repository`,
      'write it without a leading "/" and without ".."',
    );
  return { ...source, subfolder };
}

/** The rules of git-check-ref-format; never an option of git. */
export function isRevision(text: string): boolean {
  if (text === '' || text.length > 250 || /^[-/]|[/.]$/.test(text)) return false;
  return !/[\s~^:?*[\\\x00-\x1f\x7f]|\.\.|@\{|\/\/|(?:^|\/)\.|\.lock(?:\/|$)/.test(text) && text !== '@';
}

function parseNpm(text: string): Source | SourceProblem {
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  const range = at === -1 ? 'latest' : text.slice(at + 1).trim();
  if (!npmName.test(name) || name.length > 214)
    return problem(
      `${JSON.stringify(name)} is not the name of an npm package`,
      'write npm:NAME@RANGE, such as npm:left-pad@1.3.0',
    );
  if (!npmRange.test(range))
    return problem(
      `${JSON.stringify(range)} is not a version, a range or a tag`,
      'write one such as 1.3.0, ^1.3 or latest',
    );
  return { kind: 'npm', name, range };
}

function parsePypi(text: string): Source | SourceProblem {
  const [, name, range = ''] = pypiSpec.exec(text) ?? [];
  const clauses = range.split(',').map((it) => it.trim());
  if (name === undefined || (range !== '' && !clauses.every((it) => pypiClause.test(it))))
    return problem(
      `${JSON.stringify(text)} is not a Python package with versions`,
      'write pypi:NAME==VERSION, or a range such as pypi:NAME>=1.4,<2',
    );
  return { kind: 'pypi', name, range: range === '' ? '' : clauses.join(',') };
}

function parseOci(text: string): Source | SourceProblem {
  const [withTag = '', digest, ...more] = text.split('@');
  const tagAt = withTag.lastIndexOf(':');
  const hasTag = tagAt > withTag.lastIndexOf('/');
  const image = hasTag ? withTag.slice(0, tagAt) : withTag;
  const reference = digest ?? (hasTag ? withTag.slice(tagAt + 1) : 'latest');
  const [host = ''] = image.split('/');
  if (more.length > 0 || !imageName.test(image) || !(/[.:]/.test(host) || host === 'localhost'))
    return problem(
      `${JSON.stringify(image)} is not an image with its registry`,
      'write oci:REGISTRY/NAME:TAG or oci:REGISTRY/NAME@sha256:…, with the host name of the registry',
    );
  if (!(digest === undefined ? imageTag : imageDigest).test(reference))
    return problem(
      `${JSON.stringify(reference)} is not a ${digest === undefined ? 'tag' : 'digest'} of an image`,
      'write a tag, or sha256: and 64 hexadecimal digits',
    );
  return { kind: 'oci', image, reference };
}

function parseRegistry(text: string): Source | SourceProblem {
  const at = text.indexOf('@');
  const name = at === -1 ? text : text.slice(0, at);
  const range = at === -1 ? 'latest' : text.slice(at + 1).trim();
  if (!registryName.test(name) || name.includes('..'))
    return problem(
      `${JSON.stringify(name)} is not the name of a package in a registry`,
      'write registry:NAMESPACE/NAME, or with a version or range such as registry:acme/weather@^1.2',
    );
  if (!npmRange.test(range))
    return problem(
      `${JSON.stringify(range)} is not a version, a range or "latest"`,
      'write one such as 1.3.0, ^1.3 or latest',
    );
  return { kind: 'registry', name, range };
}

function parseServer(text: string): Source | SourceProblem {
  if (isObject(tryParseBounded(text, documentLimits))) return { kind: 'server', manifest: text };
  return problem(
    'mcp: is not followed by a manifest',
    'add a server with "toolwharf add NAME -- COMMAND", or write the JSON of a toolwharf-mcp.json',
  );
}

function plainUrl(text: string): URL | SourceProblem {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return problem(`${text} is not a URL`, 'check its spelling');
  }
  if (url.username !== '' || url.password !== '')
    return problem('the URL contains a user name or password', 'remove it; it would be stored in lock files');
  if (url.hostname === '') return problem(`${text} names no host`, 'check its spelling');
  return url;
}

function withoutOtherHash(found: Source | SourceProblem, sha256: string | undefined): Source | SourceProblem {
  if (sha256 === undefined || 'problem' in found || found.kind === 'https' || found.kind === 'archive')
    return found;
  return problem('a hash was given for a source that is not an archive or a URL', 'remove the hash');
}

function wrongHash(text: string): SourceProblem {
  return problem(`${JSON.stringify(text)} is not a SHA-256 hash`, 'write 64 hexadecimal digits');
}

function problem(problem: string, hint: string): SourceProblem {
  return { problem, hint };
}
