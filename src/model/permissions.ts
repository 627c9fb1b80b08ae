/** A host name that a package may connect to. */
export interface NetworkHost {
  readonly host: string;
  /** Null: the default port of the scheme. */
  readonly port: number | null;
  /** True: subdomains are included. */
  readonly subdomains?: boolean;
}

/** A host that the operator denies. The host `*` means every host. */
export interface DeniedHosts extends NetworkHost {
  /** Only for `*`: all hosts are denied except these. */
  readonly except?: readonly NetworkHost[];
}

/** Which hosts a package may reach. `public`: any public address, but never loopback or private ranges. */
export type NetworkAccess =
  | { readonly kind: 'none' }
  | { readonly kind: 'hosts'; readonly hosts: readonly NetworkHost[] }
  | { readonly kind: 'public' };

/** Access to the session's roots. `none` still includes the runtime, the package's own files and a private /tmp. */
export type FilesystemAccess = 'none' | 'read-only' | 'read-write';

/** A folder of this machine that a package asks for by its path. */
export interface FolderAccess {
  /** Absolute. */
  readonly path: string;
  readonly writable: boolean;
}

/** The network and files that one call may use. */
export interface CallAccess {
  readonly network: NetworkAccess;
  readonly filesystem: FilesystemAccess;
}

/** A resource that the package uses on the user's behalf, with the author's reason. */
export interface PermissionScope {
  readonly resource: string;
  readonly verbs: readonly ScopeVerb[];
  readonly rationale: string;
  /** The name of this scope at the provider. */
  readonly providerScope?: string;
}

/** What a package does with a resource. */
export type ScopeVerb = 'read' | 'write' | 'delete' | 'send' | 'execute' | 'admin';

/** What a package may use. Everything that is not listed is denied. */
export interface Permissions {
  /** `default`: the format has no permission model, so the host's default profile applies. */
  readonly origin: 'declared' | 'default';
  readonly network: NetworkAccess;
  readonly filesystem: FilesystemAccess;
  /** Further folders, besides the workspace. Absent: none. */
  readonly folders?: readonly FolderAccess[];
  /** True: the package has its own writable folder that persists between calls. */
  readonly stateDirectory: boolean;
  readonly scopes: readonly PermissionScope[];
}
