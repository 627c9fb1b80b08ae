import type { Readable, Writable } from 'node:stream';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import type {
  Answer,
  AuditLocations,
  AuditReader,
  AuditVerification,
  Check,
  ContainerPolicy,
  DevelopmentOptions,
  Host,
  PinReset,
  RemoteHost,
  RequestedInstallation,
  SessionPolicy,
} from '../../../host/host.js';
import type { AuditVerdict } from '../../../model/audit.js';

export type LoadFormats = () => Promise<readonly FormatDescriptor[]>;

/** Everything a command can see and do outside itself. Only main.ts implements it; tests use their own. */
export interface Terminal {
  readonly version: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `user/cli`. */
  readonly principal: string;
  /** The script that runs, for starting a host in the background. */
  readonly main: string;
  readonly stdoutIsTerminal: boolean;
  readonly stdinIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly columns: number;
  /** Aborted by the first Ctrl-C or a request to end. */
  readonly signal: AbortSignal;
  /**
   * Until the returned function is called, Ctrl-C calls `listener` instead of aborting `signal`. For a command that goes on
   * after what it runs was canceled.
   */
  onInterrupt(listener: () => void): () => void;
  /** The raw streams, for commands that pipe them. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Bytes are written as they are. */
  out(content: string | Uint8Array): void;
  err(text: string): void;
  /** All of standard input; fails if it has more than `maxBytes`. */
  readStdin(maxBytes?: number): Promise<string>;
  /** Asks a person for a line that is not shown while it is typed. */
  readSecret(question: string): Promise<string>;
  /** Asks a yes/no question; false without an answer. */
  confirm(question: string): Promise<boolean>;
  /** Asks for a line of text; empty without an answer. */
  ask(question: string): Promise<string>;
  /** Opens a web page in the person's browser. False if there is none. */
  openBrowser(url: string): Promise<boolean>;
  /** Undefined if it is not a readable regular file. */
  readFile(path: string): string | undefined;
  /** Creates missing folders; never overwrites a file. */
  writeFile(path: string, content: string | Uint8Array): void;
  isFolder(path: string): boolean;
  /** Path of a file that comes with this installation. */
  resource(path: string): string;
  /** The manifest formats that this installation knows. */
  readonly loadFormats: LoadFormats;
  /** The version of the Python that tools of this machine run with, such as `3.11`; undefined without one. */
  findPython(): Promise<string | undefined>;
  /** The running host of the state directory, else a host in this process until the command ends. */
  openHost(options: OpenHostOptions): Promise<RemoteHost>;
  /** Runs the checks of `doctor`. */
  examine(options: ExamineOptions): Promise<readonly Check[]>;
  /** Fetches a URL under the host's network rules; private addresses need a grant. */
  readDocument(
    url: string,
    access: { readonly allow: readonly string[]; readonly policy: Pick<SessionPolicy, 'caCertificates'> },
  ): Promise<{ status: number; text: string }>;
  /** Opens the audit log of a state directory for reading; needs no host. */
  openAuditLog(options: OpenAuditLogOptions): Promise<AuditReader>;
  /** Locks a state directory that no host uses, to reset its PIN. */
  openPinReset(options: OpenAuditLogOptions): Promise<PinReset>;
  /** Verifies an exported part of the audit log. */
  verifyExport(path: string, options: AuditVerification): Promise<AuditVerdict>;
  /** Makes this process the host of the state directory. */
  startHost(options: InProcessHostOptions): Promise<Host>;
}

export interface OpenAuditLogOptions {
  readonly state: string;
  readonly audit: AuditLocations;
  /** Also see entries that are written later. */
  readonly follow?: boolean;
}

export interface InProcessHostOptions {
  readonly state: string;
  readonly audit?: AuditLocations;
  /** The host serves one command only, so it starts nothing in advance. */
  readonly singleCommand?: boolean;
  readonly onAnswer?: (answer: Answer, principal: string) => void;
  /** Called when an agent asks for a package. */
  readonly onInstallRequest?: (request: RequestedInstallation) => void;
  /** Called after edited packages were read again, with one sentence per package. */
  readonly onReload?: (lines: readonly string[]) => void;
  /** Called with each line that extensions and MCP servers print outside their protocol. */
  readonly onLog?: (packageId: string, line: string) => void;
  /** Called when the host finds that the audit log was rolled back. */
  readonly onRollback?: (message: string) => void;
  /** For the author of packages: a host without the operator's values and agreements. */
  readonly development?: DevelopmentOptions;
}

export interface OpenHostOptions {
  readonly state: string;
  /** Called if another command must end first. */
  readonly onWait: (message: string) => void;
  /**
   * How long to wait for the other command, and for a running host that sends nothing. Default: as long as a tool may
   * run, and without limit for a running host.
   */
  readonly timeoutMs?: number;
  /** Used only if this process becomes the host. */
  readonly audit?: () => Promise<AuditLocations>;
}

export interface ExamineOptions {
  readonly state: string;
  /** Absolute paths of workspace folders to check. */
  readonly roots: readonly string[];
  /** A test server that a sandboxed process must not reach without a grant. */
  readonly listener: { readonly port: number; readonly greeting: string; connections(): number };
  /** Where the audit log's checkpoints, key and anchors are; absent if the configuration cannot be read. */
  readonly audit?: AuditLocations | undefined;
  /** The NATS server that is configured. */
  readonly natsUrl?: string | undefined;
  /** The container engine that is configured. */
  readonly containers?: ContainerPolicy | undefined;
  /** What the configuration says about sessions. */
  readonly settings?:
    | { readonly policy: SessionPolicy; readonly allow: readonly string[]; readonly root: string }
    | undefined;
}
