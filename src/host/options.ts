import type { FormatDescriptor } from '../formats/format-descriptor.js';
import type { RequestedInstallation } from '../model/requested-installation.js';
import type { HttpClient } from '../net/http-client.js';
import type { SupervisionPolicy } from '../run/upstream/supervision-policy.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Keychain } from '../secrets/keychain.js';
import type { DevelopmentOptions } from './development.js';
import type { Answer, AuditLocations } from './host.js';

/** Options of `createHost`. Only `state` is required. */
export interface HostOptions {
  /** State directory with the host's database; created if absent. Only one host at a time uses it. */
  readonly state: string;
  /** Identifies the code that parses manifests; cached parse results are for one build. If absent, nothing is cached. */
  readonly build?: string;
  /** The manifest formats of packages. Default: all formats that come with Toolwharf. */
  readonly formats?: readonly FormatDescriptor[];
  /** The host version that extensions are checked against. Default: 1.0.0. */
  readonly agentVersion?: string;
  /** Ids that extensions must not use, besides the built-in ones. */
  readonly reservedIds?: readonly string[];
  /** Called with every answer, for a log. */
  readonly onAnswer?: (answer: Answer, principal: string) => void;
  /** Who reads hints of errors: they name methods of the library, or only commands. Default: `library`. */
  readonly hints?: 'library' | 'command-line';
  /** Called with every internal error. Answers do not contain its details. */
  readonly onBug?: (error: unknown) => void;
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number;
  /** Monotonic milliseconds, so that a changed clock cannot reset rate and spend limits. */
  readonly ticks?: () => number;
  /** For tests. Default: the sandbox of this system. */
  readonly sandbox?: Sandbox;
  /** For tests. Default: the guarded HTTP client. */
  readonly client?: HttpClient;
  /** For tests. How many files and folders a mounted folder may have. Default: 200,000. */
  readonly maxWorkspaceEntries?: number;
  /** Delays before further attempts to send a notice of a held call. Default: 1, 5 and 25 s. */
  readonly noticeDelaysMs?: readonly number[];
  /** Start sandboxes ahead of the next call of a tool. Useful for a host that lives longer than one call. */
  readonly warm?: boolean;
  /**
   * Nothing is changed with this host. If nothing is recorded, its start is not in the audit log either. Findings about the
   * log are recorded as always. Default: false.
   */
  readonly onlyLooks?: boolean;
  /** Reload packages when their files change. */
  readonly watch?: boolean;
  /** Called after a reload, with one sentence per package. */
  readonly onReload?: (lines: readonly string[]) => void;
  /** Called when an agent asks for a package. Its source and reason are text that nobody checked. */
  readonly onInstallRequest?: (request: RequestedInstallation) => void;
  /** Called with each line that extensions and servers print outside their protocol. */
  readonly onLog?: (packageId: string, line: string) => void;
  /** Timeouts and restart limits for upstream programs. */
  readonly supervision?: Partial<SupervisionPolicy>;
  /** Where the audit log's checkpoints and their key are stored, and where they are anchored. Default: no anchors. */
  readonly audit?: AuditLocations;
  /** Called when the host finds that the audit log was rolled back, with a sentence. It is in `rollbacks.list` as well. */
  readonly onRollback?: (message: string) => void;
  /** Delays before further attempts to write an anchor. Default: 1, 5, 25 and 60 s. */
  readonly anchorDelaysMs?: readonly number[];
  /** Protects the vault with a passphrase instead of a key file. */
  readonly passphrase?: string;
  /** The keychain of the operating system. Default: the system's own; null for none. */
  readonly keychain?: Keychain | null;
  /**
   * For the author of packages. Edits need no review. Of the settings that waive something, only grants, the NATS server and
   * rules with the origin `session` are in force.
   */
  readonly development?: DevelopmentOptions;
}
