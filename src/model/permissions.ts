/** A name, or a name with a port, that a package may talk to. A port of null means the scheme's default. */
export interface NetworkHost {
  readonly host: string;
  readonly port: number | null;
  /** Names below it too. */
  readonly subdomains?: boolean;
}

/** `public` is any public address through the egress proxy, never loopback or private ranges. */
export type NetworkAccess =
  | { readonly kind: 'none' }
  | { readonly kind: 'hosts'; readonly hosts: readonly NetworkHost[] }
  | { readonly kind: 'public' };

/** What of the session's roots is visible. `none` still has the runtime, the own files and a private /tmp. */
export type FilesystemAccess = 'none' | 'read-only' | 'read-write';

/** A reason, in the author's words, for reaching something on the user's behalf. */
export interface Scope {
  readonly resource: string;
  readonly verbs: readonly ScopeVerb[];
  readonly rationale: string;
  readonly providerScope?: string;
}

export type ScopeVerb = 'read' | 'write' | 'delete' | 'send' | 'execute' | 'admin';

/** An allow-list: empty means nothing. */
export interface Permissions {
  /** `default` where the format has no permission model and the host's standing profile applies. */
  readonly origin: 'declared' | 'default';
  readonly network: NetworkAccess;
  readonly filesystem: FilesystemAccess;
  /** A writable folder of the package's own that outlives the call. */
  readonly stateDirectory: boolean;
  readonly scopes: readonly Scope[];
}
