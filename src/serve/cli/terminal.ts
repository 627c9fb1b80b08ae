import type { Readable, Writable } from 'node:stream';
import type {
  Answer,
  AuditPlaces,
  AuditReader,
  Check,
  ContainerPolicy,
  Host,
  PinReset,
} from '../../host/host.js';
import type { AuditVerdict } from '../../model/audit.js';

/** The world as a command sees it. Only main.ts knows the real one. */
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
  /** The raw streams, for commands that only carry them. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  out(text: string): void;
  err(text: string): void;
  /** All of standard input; refused where it is longer than that many bytes. */
  readStdin(most?: number): Promise<string>;
  /** Asks a person for something that is not shown while it is typed. */
  readSecret(question: string): Promise<string>;
  /** Asks a person; false without one. */
  confirm(question: string): Promise<boolean>;
  /** Asks a person for a line of text; empty without one. */
  ask(question: string): Promise<string>;
  readFile(path: string): string | undefined;
  /** Makes the folders on the way; never writes over a file. */
  writeFile(path: string, text: string): void;
  isFolder(path: string): boolean;
  /** Path of a file that comes with this installation. */
  resource(path: string): string;
  /** The running host of the state directory, else one of our own for the length of the command. */
  openHost(options: OpenHostOptions): Promise<Host>;
  /** Tries what this machine can hold. */
  examine(options: ExamineOptions): Promise<readonly Check[]>;
  /** Reads what a server publishes, past the guards of the host; private places need a grant. */
  readDocument(url: string, allow: readonly string[]): Promise<{ status: number; text: string }>;
  /** The record of a state directory, for reading; needs no host. */
  openRecord(options: OpenRecordOptions): Promise<AuditReader>;
  /** Takes a state directory that no host uses, to reset its PIN. */
  openPinReset(options: OpenRecordOptions): Promise<PinReset>;
  /** Checks an exported part of a record; `trusted` is the file of a public key. */
  verifyExport(path: string, trusted: string | undefined): Promise<AuditVerdict>;
  /** Makes this process the host of the state directory. */
  startHost(options: StartHostOptions): Promise<Host>;
}

export interface OpenRecordOptions {
  readonly state: string;
  readonly audit: AuditPlaces;
  /** See lines that are written later. */
  readonly follow?: boolean;
}

export interface StartHostOptions {
  readonly state: string;
  readonly audit?: AuditPlaces;
  /** Whether it serves one command only: then nothing is started ahead. */
  readonly brief?: boolean;
  readonly onAnswer?: (answer: Answer, principal: string) => void;
  /** Told of packages that were edited and read again, a sentence each. */
  readonly onReload?: (lines: readonly string[]) => void;
  /** Told what extensions and servers print beside their protocol. */
  readonly onLog?: (packageId: string, line: string) => void;
}

export interface OpenHostOptions {
  readonly state: string;
  /** Tell the user that somebody else's command must end first. */
  readonly onWait: (message: string) => void;
  /** How long to wait for it; as long as the tool of another command may take unless told. */
  readonly patienceMs?: number;
  /** Asked for where the command becomes the host itself. */
  readonly audit?: () => Promise<AuditPlaces>;
}

export interface ExamineOptions {
  readonly state: string;
  /** Folders that tools may be lent, absolute. */
  readonly roots: readonly string[];
  /** A server of our own that a confined process must not reach without a grant. */
  readonly listener: { readonly port: number; readonly greeting: string; connections(): number };
  /** The NATS server that is configured. */
  readonly natsUrl?: string | undefined;
  /** The container engine that is configured. */
  readonly containers?: ContainerPolicy | undefined;
}
