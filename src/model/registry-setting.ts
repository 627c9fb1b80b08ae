// A package registry as the operator configured it.

/** One registry. It has a URL or a path. */
export interface RegistrySetting {
  /** As the operator calls it. */
  readonly name: string;
  /** The folder of the registry on a web server. */
  readonly url?: string;
  /** The absolute path of a folder. */
  readonly path?: string;
  /** How its first root file is known: 64 hexadecimal digits, its SHA-256, or the absolute path of the file. */
  readonly root: string;
  /** Higher first. Default: 0. */
  readonly priority?: number;
  /** Namespaces that are looked up only here; a trailing `*` means all that begin so. */
  readonly namespaces?: readonly string[];
  /** Whether an expired copy is used. Default: false. */
  readonly acceptExpired?: boolean;
  /** The absolute path of a file with a token for reading; only with a URL. Default: reading is open. */
  readonly tokenFile?: string;
}

export const registryNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
export const registryNamespacePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\*?$/;
export const rootFingerprintPattern = /^[0-9a-f]{64}$/;
