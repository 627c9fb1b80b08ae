// Where a package comes from. A source may say "version 2 or newer" or "the tag v1"; a locked source says exactly which
// bytes that meant when it was resolved.

/** Where a package comes from, as a person writes it. */
export type Source =
  | FolderSource
  | FileSource
  | ArchiveSource
  | HttpsSource
  | GitSource
  | NpmSource
  | PypiSource
  | OciSource
  | RegistrySource
  | ServerSource;

export interface FolderSource {
  readonly kind: 'folder';
  /** Absolute. */
  readonly path: string;
}

/** A manifest that is a single file. */
export interface FileSource {
  readonly kind: 'file';
  /** Absolute. */
  readonly path: string;
}

export interface ArchiveSource {
  readonly kind: 'archive';
  /** Absolute. */
  readonly path: string;
  readonly sha256?: string;
}

/** An archive or a single manifest at a URL. */
export interface HttpsSource {
  readonly kind: 'https';
  readonly url: string;
  /** Undefined only before the first download; `install` asks for it. */
  readonly sha256?: string;
}

export interface GitSource {
  readonly kind: 'git';
  /** With the scheme https. */
  readonly url: string;
  /** A branch, a tag or a full commit id. */
  readonly revision: string;
  /** Below the root of the repository, without a slash at either end. */
  readonly subfolder?: string;
}

export interface NpmSource {
  readonly kind: 'npm';
  readonly name: string;
  /** A range of semver, or a tag such as `latest`. */
  readonly range: string;
}

export interface PypiSource {
  readonly kind: 'pypi';
  readonly name: string;
  /** Clauses of PEP 440 such as `>=1.4,<2`. Empty: every released version. */
  readonly range: string;
}

export interface OciSource {
  readonly kind: 'oci';
  /** With its registry, without a tag: `registry.example.com/team/tool`. */
  readonly image: string;
  /** A tag, or `sha256:` and 64 hexadecimal digits. */
  readonly reference: string;
}

/** A package of one of the registries that the operator configured. */
export interface RegistrySource {
  readonly kind: 'registry';
  /** `NAMESPACE/NAME`, or `NAME`. */
  readonly name: string;
  /** A version, a range of semver, or `latest`. */
  readonly range: string;
}

/** A manifest of a plain MCP server, written by the host for a command line or a URL. */
export interface ServerSource {
  readonly kind: 'server';
  /** JSON, without secrets. */
  readonly manifest: string;
}

/** The same sources with what they were resolved to. What the person wrote stays, so that an update knows its range. */
export type LockedSource =
  | FolderSource
  | FileSource
  | ServerSource
  | (ArchiveSource & { readonly sha256: string })
  | (HttpsSource & { readonly sha256: string })
  | (GitSource & { readonly commit: string })
  | (NpmSource & { readonly version: string; readonly integrity: string })
  | (PypiSource & { readonly version: string; readonly file: string; readonly sha256: string })
  | (OciSource & { readonly digest: string })
  | (RegistrySource & { readonly version: string; readonly sha256: string });

/** Whether everything about the source is fixed. Folders and files have nothing to fix: they are read as they are. */
export function isLocked(source: Source | LockedSource): source is LockedSource {
  switch (source.kind) {
    case 'folder':
    case 'file':
    case 'server':
      return true;
    case 'archive':
    case 'https':
      return source.sha256 !== undefined;
    case 'git':
      return 'commit' in source;
    case 'npm':
      return 'version' in source && 'integrity' in source;
    case 'pypi':
    case 'registry':
      return 'version' in source && 'sha256' in source;
    case 'oci':
      return 'digest' in source;
  }
}

/** The source as a person would write it; `parseSource` reads it again. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'folder':
    case 'file':
    case 'archive':
      return source.path;
    case 'https':
      return source.sha256 === undefined ? source.url : `${source.url}#sha256=${source.sha256}`;
    case 'git':
      return `git+${source.url}#${source.revision}${source.subfolder === undefined ? '' : `:${source.subfolder}`}`;
    case 'npm':
      return `npm:${source.name}@${source.range}`;
    case 'pypi':
      return `pypi:${source.name}${source.range}`;
    case 'oci':
      return `oci:${source.image}${source.reference.startsWith('sha256:') ? '@' : ':'}${source.reference}`;
    case 'registry':
      return `registry:${source.name}@${source.range}`;
    case 'server':
      return `mcp:${source.manifest}`;
  }
}
