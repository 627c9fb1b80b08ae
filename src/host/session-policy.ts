import type { AuditDurability } from '../model/audit-durability.js';
import type { JsonObject } from '../model/json.js';
import type { NotifyTarget } from '../model/notify-target.js';
import type { QuarantineAction } from '../model/quarantine-action.js';
import type { RegistrySetting } from '../model/registry-setting.js';
import type { Rule } from '../model/rule.js';
import type { TaintMode } from '../policy/taint/taint-verdict.js';
import type { ViolationPolicy } from '../policy/violation.js';
import type { VaultKeyStorage } from './operator/operator.js';

/** The operator's configuration for a session. An absent field means its default. */
export interface SessionPolicy {
  /** Only these packages are served. */
  readonly only?: readonly string[];
  readonly disabled?: readonly string[];
  /** The operator's rules, in addition to those of manifests and of the host. All of them apply. */
  readonly rules?: readonly Rule[];
  /** What no package may have, in the syntax of `--allow`, with `*` for all. Overrides every grant and manifest. */
  readonly deny?: readonly string[];
  /** Absolute paths. Only folders below these may be mounted, as workspace or by a grant. Default: any folder. */
  readonly roots?: readonly string[];
  /** Absolute paths that tools must not create or change, such as the caller's configuration. */
  readonly protect?: readonly string[];
  /** Patterns of tools whose answers contain no text of others. */
  readonly trusted?: readonly string[];
  /** Patterns of tools whose answers are not searched for guessed secrets. Vault values and known key formats are still removed. */
  readonly noGuesses?: readonly string[];
  /**
   * Findings of the scanner that stay in answers, each as `TOOL PATH RULE`, such as
   * `crm/find result.items[*].sync_token assigned-secret`. Values of the vault are still removed.
   */
  readonly scanExempt?: readonly string[];
  /** Names of folders to skip in the search for packages, besides the default ones. */
  readonly ignore?: readonly string[];
  /** How many folder levels are searched. */
  readonly depth?: number;
  readonly agentVersion?: string;
  readonly reservedIds?: readonly string[];
  /** Require the exact language version of a program, instead of using the nearest one. */
  readonly strictRuntime?: boolean;
  /** Run processes without a sandbox. The audit entry of each call says so. */
  readonly unsafeNoSandbox?: boolean;
  readonly limits?: LimitPolicy;
  readonly indexes?: PackageIndexes;
  /** Where packages are found by name. */
  readonly registries?: readonly RegistrySetting[];
  /** The NATS server for extensions that use NATS, such as `nats://127.0.0.1:4222`. */
  readonly natsUrl?: string;
  readonly broker?: BrokerPolicy;
  /** Who this host is to authorization servers. */
  readonly oauth?: OAuthPolicy;
  /** Certificate authorities that are trusted for https besides the usual ones, as PEM. */
  readonly caCertificates?: string;
  /** Keep the arguments of calls, sealed. If absent, the audit log has only their digest and structure. */
  readonly sealArguments?: SealingPolicy;
  /** When the audit entry of an ordinary call is safe from a power loss. Default: `call`. */
  readonly auditDurability?: AuditDurability;
  /** Key storage for a new vault key. Default: a file, or the passphrase if one is given. */
  readonly vaultKey?: VaultKeyStorage;
  /** What the host does if a program of a package acts against its grant. Default: it reports it. */
  readonly onViolation?: ViolationPolicy;
  /** What the host does with calls of an installed release that its registry warns about. Default: `hold`. */
  readonly onQuarantine?: QuarantineAction;
  /** URL that gets a notice of each held call, and of each violation. */
  readonly webhook?: string;
  /**
   * Whether agents may ask for packages with the MCP tool `request_install`. Default: only where clients search for tools,
   * because it is one more tool in every list.
   */
  readonly installRequests?: boolean;
  /**
   * What MCP servers may ask of the client of a call: `sampling`, `roots`, or `PACKAGE=sampling` for one package. Default:
   * nothing.
   */
  readonly serverRequests?: readonly string[];
  /** Where people are told about held calls, for example a chat. */
  readonly notify?: readonly NotifyTarget[];
  /** How calls are judged by what their session has seen. */
  readonly taint?: TaintPolicy;
  /** Runs programs that come as container images. */
  readonly containers?: ContainerPolicy;
}

/** How calls are judged by what their session has seen. */
export interface TaintPolicy {
  /** Default: `standard`. */
  readonly mode?: TaintMode;
  /** Other modes for packages, each as `PACKAGE=MODE`. */
  readonly packages?: readonly string[];
  /** Other modes for principals, each as `PRINCIPAL=MODE`. A mode for a package wins. */
  readonly clients?: readonly string[];
  /** The person's own addresses, accounts and hosts. They are never asked about. */
  readonly own?: readonly string[];
  /**
   * What tools do and what their inputs decide, instead of what their packages declare: `{ "tools": { "PACKAGE/TOOL": … } }`.
   * docs/design/taint.md has the members.
   */
  readonly labels?: JsonObject;
  /**
   * Principals whose clients are trusted to pass on what their user wrote, in `_meta["toolwharf/user-text"]` of a call. Such a
   * text vouches for the values in it.
   */
  readonly userText?: readonly string[];
  /** What inputs decide, each as `TOOL INPUT ROLE`, such as `mail/send body content`. */
  readonly inputs?: readonly string[];
  /** Results that the agent passes on without reading them, each as `TOOL` or `TOOL CHARACTERS`. */
  readonly hide?: readonly string[];
  /** Inputs that accept such results, each as `TOOL INPUT`. */
  readonly hiddenInputs?: readonly string[];
  /** The agent also reads what does not come through the host: its session is untrusted from the start. Default: false. */
  readonly outsideInput?: boolean;
  /** The same for the clients of these principals only. */
  readonly outsideClients?: readonly string[];
}

/** The container engine. Default: podman or docker, found in the usual places. */
export interface ContainerPolicy {
  /** `podman`, `docker`, or an absolute path. */
  readonly engine?: string;
  /** OCI runtime: a path for podman, a name for docker. */
  readonly runtime?: string;
}

/** How kept arguments are sealed. */
export interface SealingPolicy {
  /** Key storage for a new vault key. Default: a file, or the passphrase if one is given. */
  readonly keyStorage?: VaultKeyStorage;
}

/** The broker for tokens of people's accounts. */
export interface BrokerPolicy {
  /** Base URL of an Arcade API. Default: Arcade's own. Empty: no broker may be used. */
  readonly url?: string;
  /** The user id at the broker. Default: the principal. */
  readonly user?: string;
}

/** The clients of sign-ins to MCP servers. Without any, the host registers itself where that is possible. */
export interface OAuthPolicy {
  /** The ids of clients that the operator registered, by issuer. Secrets are in the vault, for `@oauth`. */
  readonly clients?: Readonly<Record<string, string>>;
  /** URL of a document about this client, for servers that accept such documents. */
  readonly clientMetadataUrl?: string;
}

/** Limits for one call of one tool. */
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
  /** URL of a Python package index. Default: the installer's own. */
  readonly pythonIndex?: string;
  /** Absolute folders with wheels. With these and no index, they are the only source. */
  readonly findLinks?: readonly string[];
  readonly npmRegistry?: string;
}
