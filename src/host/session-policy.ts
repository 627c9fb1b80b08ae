import type { Rule } from '../model/rule.js';
import type { VaultKeyStorage } from './operator.js';

/** What an operator configured; everything absent is as usual. */
export interface SessionPolicy {
  /** Only these packages are served. */
  readonly only?: readonly string[];
  readonly disabled?: readonly string[];
  /** Rules of the operator, on top of what manifests and the host demand. All of them hold. */
  readonly rules?: readonly Rule[];
  /** What no package may have, in the grammar of `--allow` with `*` for all: it weighs more than any grant or manifest. */
  readonly deny?: readonly string[];
  /** Absolute; only folders in these are lent as workspaces or by grants. Any may be, unless told. */
  readonly roots?: readonly string[];
  /** Patterns of tools whose answers the operator trusts; shown, and not acted on yet. */
  readonly trusted?: readonly string[];
  /** Patterns of tools in whose answers no secrets are guessed; vault values and shapes of keys are taken out all the same. */
  readonly noGuesses?: readonly string[];
  /** Names of folders that are not searched, besides the usual ones. */
  readonly ignore?: readonly string[];
  /** How deep folders are searched. */
  readonly depth?: number;
  readonly agentVersion?: string;
  readonly reservedIds?: readonly string[];
  /** Refuse a program whose language version is not there, instead of taking the nearest. */
  readonly strictRuntime?: boolean;
  /** Run processes without confinement. Said in every record of a call. */
  readonly unsafeNoSandbox?: boolean;
  readonly limits?: LimitPolicy;
  readonly indexes?: PackageIndexes;
  /** Where extensions that answer over NATS are asked, such as `nats://127.0.0.1:4222`. */
  readonly natsUrl?: string;
  readonly broker?: BrokerPolicy;
  /** Keep the arguments of calls beside the record, sealed; only their digest and shape are kept where this is absent. */
  readonly sealArguments?: SealingPolicy;
  /** URL that is told of held calls. */
  readonly webhook?: string;
  /** What runs programs that come as images. */
  readonly containers?: ContainerPolicy;
}

/** Podman or docker, found where they usually are unless told. */
export interface ContainerPolicy {
  /** `podman`, `docker`, or an absolute path. */
  readonly engine?: string;
  /** OCI runtime: a path for podman, a name for docker. */
  readonly runtime?: string;
}

/** How arguments are sealed. */
export interface SealingPolicy {
  /** Who should keep the key of the vault where there is none yet; a file, or the passphrase that was given, unless told. */
  readonly keeper?: VaultKeyStorage;
}

/** Where tokens of people's accounts come from. */
export interface BrokerPolicy {
  /** Base URL of an Arcade API; Arcade's own unless told. */
  readonly url?: string;
  /** Whose sign-ins they are, as the broker knows people; the principal unless told. */
  readonly user?: string;
}

/** Bounds for one call of one tool. */
export interface LimitPolicy {
  readonly wallSeconds?: number;
  readonly cpuSeconds?: number;
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly openFiles?: number;
  readonly diskBytes?: number;
  readonly outputBytes?: number;
}

/** Where language packages come from. */
export interface PackageIndexes {
  /** URL of a Python package index; the installer's own unless told. */
  readonly pythonIndex?: string;
  /** Absolute folders with wheels; when there are any and no index is named, they are the only source. */
  readonly findLinks?: readonly string[];
  readonly npmRegistry?: string;
}
