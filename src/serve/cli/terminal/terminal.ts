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
  StoreCopy,
  StoreCopyOptions,
} from '../../../host/host.js';
import type { AuditVerdict } from '../../../model/audit.js';
import type { Bundle } from '../../../model/bundle.js';
import type { ContributionVerdict } from '../../../model/contribution.js';
import type { FormatParser } from '../../../model/format.js';
import type { RegistrySetting } from '../../../model/registry-setting.js';
import type { ReviewQueue } from '../../../model/review-queue.js';
import type { RegistrySource } from '../../../model/source.js';
import type { RegistryPackageFacts } from '../../../registry/client/registry-package.js';
import type { FoundInRegistries, RegistryQuestion } from '../../../registry/client/registry-search.js';
import type { TextModel } from '../../../registry/contribute/model-check/text-model.js';
import type { KeyFolderOptions } from '../../../registry/keys/key-folder.js';
import type { RegistrySigner } from '../../../registry/metadata/registry-key.js';
import type { ReleaseName } from '../../../registry/names/package-name.js';
import type {
  RemotePublicationResult,
  RemoteRelease,
} from '../../../registry/publisher/remote-publication.js';
import type {
  PublicationChanges,
  SignedPublication,
} from '../../../registry/publisher/signed-publication.js';
import type { RegistryRepository } from '../../../registry/repository/registry-repository.js';
import type { MirrorReport } from '../../../registry/repository/repository-mirror.js';

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
  /** Prepares a copy of the database of a state directory. */
  openStoreCopy(options: StoreCopyOptions): Promise<StoreCopy>;
  /** Verifies an exported part of the audit log. */
  verifyExport(path: string, options: AuditVerification): Promise<AuditVerdict>;
  /** Runs the checks before publishing over one package. Only the model is asked outside of this process. */
  checkContribution(options: ContributionOptions): Promise<ContributionVerdict>;
  /** The model that reads texts, with its key; undefined if none is configured. */
  connectTextModel(options: TextModelOptions): Promise<TextModel | undefined>;
  publishAtServer(publication: ServerPublication): Promise<RemotePublicationResult>;
  /** Withdraws a release at a server of the configuration. */
  yankAtServer(withdrawal: ServerWithdrawal): Promise<SignedPublication | undefined>;
  /** Signs the file of a namespace again, at a server of the configuration. */
  renewAtServer(renewal: ServerRenewal): Promise<SignedPublication | undefined>;
  /** Sends what members of a team signed one after the other. */
  sendToServer(delivery: ServerDelivery): Promise<void>;
  /** What a publication changes in a registry of the configuration. Undefined: it does not have the namespace. */
  publicationChanges(
    publication: SignedPublication,
    setting: RegistrySetting,
    access: RegistryReach,
  ): Promise<PublicationChanges | undefined>;
  /** A verified copy of a registry of the configuration. */
  mirrorConfigured(copy: RegistryCopy): Promise<MirrorReport & { readonly root: string }>;
  /** Verifies the configured registries, and finds packages in them. */
  searchRegistries(search: RegistryQuestion, access: RegistryReach): Promise<FoundInRegistries>;
  /** What the configured registries say about `registry:NAME@RANGE`. */
  registryPackageFacts(
    source: Pick<RegistrySource, 'name' | 'range'>,
    access: RegistryReach,
  ): Promise<RegistryPackageFacts>;
  /** Null: this system has none. */
  registryKeychain(): Promise<KeyFolderOptions['keychain']>;
  /** The packages that wait for a person in the registry of a folder. */
  openReviewQueue(registry: string): Promise<ReviewQueue>;
  /** Makes this process the host of the state directory. */
  startHost(options: InProcessHostOptions): Promise<Host>;
}

/** A model that reads the texts of packages. */
export interface ContributionModel {
  readonly url: string;
  readonly shape: 'openai' | 'anthropic';
  readonly name: string;
  /** The environment variable with its key. Undefined: the key of the vault, if it has one. */
  readonly keyVariable: string | undefined;
}

export interface TextModelOptions {
  readonly model: ContributionModel | undefined;
  readonly state: string;
  readonly policy: Pick<SessionPolicy, 'caCertificates'>;
}

/** What a command needs to read the configured registries. */
export interface RegistryReach {
  readonly state: string;
  readonly policy: Pick<SessionPolicy, 'caCertificates' | 'registries' | 'deny'>;
}

/** A copy that is made of a registry of the configuration. */
export interface RegistryCopy {
  readonly setting: RegistrySetting;
  readonly state: string;
  readonly policy: Pick<SessionPolicy, 'caCertificates' | 'deny'>;
  /** The copy. */
  readonly repository: RegistryRepository;
  readonly acceptExpired: boolean;
}

/** How a publisher works at a server of the configuration. */
interface ServerPublisher {
  readonly setting: RegistrySetting;
  readonly state: string;
  readonly policy: Pick<SessionPolicy, 'caCertificates'>;
  readonly signers: readonly RegistrySigner[];
  /** Undefined: nothing is sent. */
  readonly token: string | undefined;
  /** Whether the publication is returned for the signatures of others, instead of sent. Default: false. */
  readonly collects?: boolean | undefined;
}

/** A release that is published at a server of the configuration. */
export interface ServerPublication extends ServerPublisher {
  readonly release: RemoteRelease;
}

/** A namespace whose publisher renews its signature at a server. */
export interface ServerRenewal extends ServerPublisher {
  readonly namespace: string;
}

/** A publication that members of a team signed one after the other. */
export interface ServerDelivery extends Omit<ServerPublisher, 'collects'> {
  readonly publication: SignedPublication;
}

/** A release that its publisher withdraws at a server. */
export interface ServerWithdrawal extends ServerPublisher {
  readonly release: ReleaseName & { readonly reason: string };
}

export interface ContributionOptions {
  readonly bundle: Bundle;
  readonly format: FormatParser;
  /** What the publisher says the package is. */
  readonly expected: { readonly name?: string | undefined; readonly version?: string | undefined };
  readonly existingNames: readonly string[];
  /** Undefined: no model reads the texts. */
  readonly model: ContributionModel | undefined;
  readonly state: string;
  readonly policy: Pick<SessionPolicy, 'agentVersion' | 'reservedIds' | 'caCertificates'>;
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
  /** See `OpenHostOptions`. */
  readonly onlyLooks?: boolean;
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
  /** The command changes nothing: its start is in the audit log only if something else is recorded. Default: false. */
  readonly onlyLooks?: boolean;
  /** Used only if this process becomes the host. */
  readonly audit?: () => Promise<AuditLocations>;
}

export interface ExamineOptions {
  readonly state: string;
  /** Absolute paths of workspace folders to check. */
  readonly roots: readonly string[];
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
