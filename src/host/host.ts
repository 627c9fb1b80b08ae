import type { AuditVerdict } from '../model/audit.js';
import type { CancelSignal } from '../model/cancel-signal.js';
import type { JsonObject } from '../model/json.js';
import type { Answer, CallRequest, MessagePoint, MessageVerdict } from './call/call-request.js';
import type { ExplainRequest, Explanation } from './call/explanation.js';
import type { ListedPrompt, ListedResource, ListedTool, PackageReport } from './catalog/listed.js';
import type { Installations } from './lifecycle/installations.js';
import type { AuditEntry } from './operator/audit-reader.js';
import type {
  Approvals,
  KeptArgumentOperations,
  Kills,
  Outcomes,
  ProcessCounts,
  QuarantineOperations,
  Rollbacks,
  Secrets,
  Switches,
  Tokens,
} from './operator/operator.js';
import type { Actor, OperatorAuth } from './operator/operator-auth.js';
import type { SessionWaiver, WaiverOperations } from './operator/waiver-operations.js';
import type { InstallOptions, InstallResult, PackageReview } from './packages/package-change.js';
import type { SessionPolicy } from './session-policy.js';

export type { ChangeStep, ChangeStepName, GenerationName, PackageChange } from '../model/change.js';
export type { Installation, SmokeResult } from '../model/installation.js';
export type { CostEstimate, Plan, PlanChanges, PlannedCredential, PlannedPackage } from '../model/plan.js';
export type { SandboxLevel } from '../model/sandbox-level.js';
export type { BinaryContent, Progress } from '../run/run.js';
export type { DeclaredValue } from '../secrets/declared-value.js';
export type {
  Answer,
  AnswerError,
  CallRequest,
  Confirmation,
  MessagePoint,
  MessageVerdict,
} from './call/call-request.js';
export type {
  ExplainedFinding,
  ExplainedLimit,
  ExplainedPermissions,
  ExplainRequest,
  Explanation,
} from './call/explanation.js';
export type {
  ListedPrompt,
  ListedResource,
  ListedTool,
  PackageReport,
  PackageState,
  PackageStateName,
  ProgramState,
  PromptArgument,
} from './catalog/listed.js';
export type { DevelopmentOptions } from './development.js';
export type { ChangeProgress } from './lifecycle/change-steps.js';
export type {
  ChangeOptions,
  GarbageReport,
  GenerationEntry,
  Installations,
  InstalledPackage,
  InstallRequest,
  OutdatedPackage,
  PlanRequest,
  RemoveRequest,
  RevokeRequest,
  RollbackRequest,
  ValueRequest,
} from './lifecycle/installations.js';
export type {
  AuditEntry,
  AuditFilter,
  AuditLocations,
  AuditReader,
  AuditVerification,
  HashedAuditEntry,
} from './operator/audit-reader.js';
export type {
  Approvals,
  AuditRollback,
  Check,
  KeptArgumentOperations,
  KillEntry,
  KillOutcome,
  Kills,
  MovedFile,
  OpenedArguments,
  Outcomes,
  ProcessCounts,
  QuarantineOperations,
  Rollbacks,
  SecretAudience,
  SecretEntry,
  SecretInput,
  Secrets,
  StandingRuleOperations,
  Switches,
  TokenEntry,
  TokenInput,
  TokenKind,
  TokenRole,
  Tokens,
  UnknownOutcome,
  VaultKeyStorage,
} from './operator/operator.js';
export type {
  Actor,
  Operator,
  OperatorAuth,
  PinProtectedCounts,
  PinReset,
  VerifiedActor,
} from './operator/operator-auth.js';
export type { AcceptedWaiver, SessionWaiver, WaiverOperations } from './operator/waiver-operations.js';
export type { InstallOptions, InstallResult, PackageReview } from './packages/package-change.js';
export type {
  BrokerPolicy,
  ContainerPolicy,
  LimitPolicy,
  PackageIndexes,
  SealingPolicy,
  SessionPolicy,
} from './session-policy.js';

/**
 * What works from another process too: through the socket of the state directory, and over HTTP. `operations/` has one
 * entry for each method.
 */
export interface RemoteHost {
  /** Opens a session: loads and checks its packages. */
  session(options: SessionOptions): Promise<RemoteSession>;
  /** Held calls, and standing rules that let calls run without asking. */
  readonly approvals: Omit<Approvals, 'onChange'>;
  /** The operator's PIN. */
  readonly operator: Pick<OperatorAuth, 'pin' | 'setPin' | 'removePin'>;
  /** Secrets and settings of packages. Secret values can be set, never read. */
  readonly secrets: Secrets;
  /** Enables and disables packages. */
  readonly switches: Switches;
  /** The kill switch: stops calls and programs at once. */
  readonly kills: Kills;
  /** Settings that waive a question or a protection, and that were accepted. */
  readonly waivers: WaiverOperations;
  /** Files that tools made in places that steer other programs; the host moved them aside. */
  readonly quarantine: QuarantineOperations;
  /** Calls that were running when a host crashed, so that their result is unknown. */
  readonly outcomes: Outcomes;
  /** What shows that the audit log was rolled back. */
  readonly rollbacks: Rollbacks;
  /** Stored, encrypted arguments of earlier calls. */
  readonly keptArguments: KeptArgumentOperations;
  /** Access tokens of HTTP clients, and keys of stdio clients. */
  readonly tokens: Omit<Tokens, 'onRevoke' | 'checkExpired'>;
  /** How many sandboxed processes exist now, by purpose. */
  processes(): Promise<ProcessCounts>;
  /** Checks that nobody changed the audit log. */
  verifyAudit(): Promise<AuditVerdict>;
  /** The last `count` entries of the audit log, oldest first. */
  auditTail(count: number): Promise<readonly AuditEntry[]>;
  /** Disconnects. A host in this process cancels its calls, ends all processes and releases the state directory. */
  close(): Promise<void>;
}

/**
 * A running host in this process: sessions for callers, and the operations of the operator. The CLI, HTTP and MCP
 * servers use only this.
 */
export interface Host extends RemoteHost {
  session(options: SessionOptions): Promise<Session>;
  readonly approvals: Approvals;
  readonly operator: OperatorAuth;
  readonly tokens: Tokens;
  /** How many calls are in progress now. A held call is not. */
  activeCalls(): number;
}

/** What one caller may use: packages, workspace, grants and policy. */
export interface SessionOptions {
  /** Who calls: the user and the program, such as `alice/cli`. Default: `library`. */
  readonly principal?: string;
  /**
   * Names one client among several of the principal. Each has its own processes and held calls, which end with its last
   * session. Limits and kills apply to the principal. Default: all sessions of the principal are one client.
   */
  readonly client?: string;
  /** Files and folders with packages. */
  readonly directories: readonly string[];
  /** What the session is for. Only `use` starts programs, mounts folders and stores agreements. Default: `use`. */
  readonly intent?: SessionIntent;
  /**
   * Accepts packages that are found for the first time. Null: they need review. Once a PIN is set, opening a session
   * that would accept something fails with `pin_required` if `by` has no PIN. Default: with the intent `use`, your
   * program is the operator and accepts what is in `directories`; otherwise null.
   */
  readonly accept?: FirstAcceptance | null;
  /** The workspace of the session: an absolute path. Default: the working directory. */
  readonly root?: string;
  /** Grants, in the syntax of `--allow`. Default: none. */
  readonly allow?: readonly string[];
  /** Values of the variables that `allow` grants with `env:NAME`. The host does not read its own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Rules, limits and other settings of the operator. */
  readonly policy?: SessionPolicy;
  /**
   * Who opens the session, with the PIN. Needed only for `unsafeNoSandbox` once a PIN is set. Default: the principal,
   * without proof.
   */
  readonly operator?: Actor;
}

/**
 * `look`: shows what is known; nothing runs, is mounted or is stored. `review`: the same, but packages can be accepted.
 * `use`: everything.
 */
export type SessionIntent = 'look' | 'review' | 'use';

/** The agreement of an operator to packages that are found for the first time. */
export interface FirstAcceptance {
  /** Files and folders; new packages in other places still need review. */
  readonly in: readonly string[];
  /** Who accepts them. */
  readonly by: Actor;
}

/** Session options of a surface: who accepts new packages is never left to the default. */
export type ServedSessionOptions = SessionOptions & Required<Pick<SessionOptions, 'accept'>>;

/** One caller's view of a host: its packages, tools, prompts and resources. Works from another process too. */
export interface RemoteSession {
  /** All packages that were found, with their state. */
  packages(): Promise<PackageReport>;
  /** The tools that can be called now, sorted by name. */
  tools(): Promise<readonly ListedTool[]>;
  /** Calls a tool through the call pipeline. Failures are answers too; see `Answer.status`. */
  call(request: RemoteCallRequest): Promise<Answer>;
  /** What the host would decide about a call now, and by which rules. Runs nothing. */
  explain(request: ExplainRequest): Promise<Explanation>;
  /** Passes a message to or from the agent through the hooks of extensions. For programs that embed the host. */
  message(point: MessagePoint, message: JsonObject, signal?: CancelSignal): Promise<MessageVerdict>;
  /** The prompts of ready packages, in a fixed order. */
  prompts(): Promise<readonly ListedPrompt[]>;
  /** The text of a prompt; `args` fill a template. Throws `not_found` for an unknown name. */
  prompt(name: string, args: JsonObject): Promise<string>;
  /** The result of MCP's `prompts/get`: all messages, with roles and images, which `prompt` leaves out. */
  promptMessages(name: string, args: JsonObject, signal?: CancelSignal): Promise<JsonObject>;
  /** The resources of upstream MCP servers, and their resource templates. */
  resources(): Promise<readonly ListedResource[]>;
  /** Reads a resource from its upstream: `{contents: […]}`. Throws `not_found` if no upstream has it. */
  resource(uri: string, signal?: CancelSignal): Promise<JsonObject>;
  /** What changed in a package, or in what its programs announce, since the operator accepted it. */
  review(id: string): Promise<PackageReview>;
  /** Accepts a reviewed package. `digest`: `to` of the review, so that exactly the reviewed version is accepted. */
  accept(id: string, digest: string, by?: Actor): Promise<void>;
  /** The settings of this session that waive a question or a protection, and whether they are in force. */
  waivers(): Promise<readonly SessionWaiver[]>;
  /** Accepts one of them, by its id. It is then in force in every session with the same content. */
  acceptWaiver(id: string, by?: Actor): Promise<SessionWaiver>;
  /** Fetches and installs the language packages and images that a package's programs need. */
  install(id: string, options?: InstallOptions): Promise<InstallResult>;
  /** Installed packages: plan, install, verify, update, roll back, revoke. */
  readonly installations: Installations;
  /** Ends the session. The host keeps running. */
  close(): Promise<void>;
}

/** A call from another process: it shows no progress and answers no questions of the tool. */
export type RemoteCallRequest = Omit<CallRequest, 'onProgress' | 'onAsk'>;

/** A session of a host in this process. */
export interface Session extends RemoteSession {
  call(request: CallRequest): Promise<Answer>;
  /**
   * Calls `listener` when the lists of tools, prompts or resources may have changed. Returns a function that stops
   * it.
   */
  onChange(listener: () => void): () => void;
}
