import type { AuditStatus, AuditVerdict } from '../model/audit.js';
import type { CancelSignal } from '../model/cancel-signal.js';
import type { Json, JsonObject } from '../model/json.js';
import type { AgentRequest, AgentRequestAnswer } from '../model/requested-installation.js';
import type { StaticPage } from '../model/static-page.js';
import type { AskedClient } from '../run/run.js';
import type { Answer, CallRequest, MessagePoint, MessageVerdict } from './call/call-request.js';
import type { ExplainRequest, Explanation } from './call/explanation.js';
import type {
  ArgumentValues,
  CompletionRequest,
  ListedPrompt,
  ListedResource,
  ListedTool,
  PackageInstructions,
  PackageReport,
} from './catalog/listed.js';
import type { Installations } from './lifecycle/installations.js';
import type { Learning } from './lifecycle/learning.js';
import type { Registries } from './lifecycle/registries.js';
import type { Activity } from './operator/activity.js';
import type { Approvals } from './operator/approvals.js';
import type { AuditEntry, AuditProgressOptions } from './operator/audit-reader.js';
import type { Changes } from './operator/changes.js';
import type { ConsoleAccess, ConsoleLink } from './operator/console-access.js';
import type { Health } from './operator/health.js';
import type { InstallRequests } from './operator/install-requests.js';
import type { LabelOperations } from './operator/labels.js';
import type { OpenSession } from './operator/open-sessions.js';
import type {
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
import type { SetOperations } from './operator/sets.js';
import type { SessionWaiver, WaiverOperations } from './operator/waiver-operations.js';
import type { Manifests, PackageSource } from './packages/manifests.js';
import type { InstallOptions, InstallResult, PackageReview } from './packages/package-change.js';
import type { SessionOptions } from './session-options.js';
import type { Tasks } from './tasks.js';
import type { ServerSignIns } from './upstream/server-sign-ins.js';

export type { SandboxLevel } from '../model/sandbox-level.js';
export type { SetBinding, SetSubjectKind, ToolSet, ToolSetEntry, ToolView } from '../model/tool-set.js';
export type { TextDifference } from '../policy/review/visible-text.js';
export type {
  AskedClient,
  BinaryContent,
  CallLogging,
  ClientRequestMethod,
  ClientRequests,
  Progress,
} from '../run/run.js';
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
  ExplainedTaint,
  ExplainedValue,
  ExplainRequest,
  Explanation,
} from './call/explanation.js';
export type {
  ArgumentValues,
  CompletionRequest,
  ListedPrompt,
  ListedResource,
  ListedTool,
  PackageInstructions,
  PackageReport,
  PackageState,
  PackageStateName,
  ProgramState,
  PromptArgument,
  ReportedSet,
} from './catalog/listed.js';
export type { DevelopmentOptions } from './development.js';
export type * from './lifecycle/lifecycle-types.js';
export type { Activity, ActivityQuery, ActivitySpan } from './operator/activity.js';
export type { ApprovalLinkOperations, LinkVerdict } from './operator/approval-links.js';
export type { Approvals, RulePreview, StandingRuleOperations } from './operator/approvals.js';
export type {
  AuditEntry,
  AuditFilter,
  AuditLocations,
  AuditProgressOptions,
  AuditReader,
  AuditVerification,
  HashedAuditEntry,
} from './operator/audit-reader.js';
export type { Changes, ChangeTopic } from './operator/changes.js';
export type { ConsoleAccess, ConsoleLink, ConsoleVisit, ServeConsole } from './operator/console-access.js';
export type { DiskUse, Health, HealthOverview, LimitUse } from './operator/health.js';
export type { EndorsementEntry, LabelOperations, LabelSessionEntry } from './operator/labels.js';
export type { OpenSession } from './operator/open-sessions.js';
export type {
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
export type { SavedToolSet, SetBindingInput, SetOperations, SetSubjectInput } from './operator/sets.js';
export type { StoreCopy, StoreCopyOptions, StoreCopyReport } from './operator/store-copy.js';
export type { AcceptedWaiver, SessionWaiver, WaiverOperations } from './operator/waiver-operations.js';
export type {
  CheckedDraft,
  DraftFile,
  ManifestDraft,
  Manifests,
  PackageSource,
  ReadDraft,
  WrittenDraft,
} from './packages/manifests.js';
export type { InstallOptions, InstallResult, PackageReview } from './packages/package-change.js';
export type {
  FirstAcceptance,
  ServedSessionOptions,
  SessionIntent,
  SessionOptions,
} from './session-options.js';
export type {
  BrokerPolicy,
  ContainerPolicy,
  LimitPolicy,
  OAuthPolicy,
  PackageIndexes,
  SealingPolicy,
  SessionPolicy,
  TaintPolicy,
} from './session-policy.js';
export type { NewTask, RunningTask, TaskCall, Tasks } from './tasks.js';
export type { ServerSignIn, ServerSignIns, SignInBegin, SignInOffer } from './upstream/server-sign-ins.js';

/**
 * What works from another process too: through the socket of the state directory, and over HTTP. `operations/` has one
 * entry for each method.
 */
export interface RemoteHost {
  /** Opens a session: loads and checks its packages. */
  session(options: SessionOptions): Promise<RemoteSession>;
  /** Held calls, and standing rules that let calls run without asking. */
  readonly approvals: Omit<Approvals, 'onChange' | 'links'>;
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
  /** Packages that agents asked for. Only a person refuses or installs them. */
  readonly installRequests: InstallRequests;
  /** What sessions have seen, and what people vouched for. */
  readonly labels: LabelOperations;
  /** Calls that were running when a host crashed, so that their result is unknown. */
  readonly outcomes: Outcomes;
  /** What shows that the audit log was rolled back. */
  readonly rollbacks: Rollbacks;
  /** Stored, encrypted arguments of earlier calls. */
  readonly keptArguments: KeptArgumentOperations;
  /** Access tokens of HTTP clients, and keys of stdio clients. */
  readonly tokens: Omit<Tokens, 'onRevoke' | 'checkExpired'>;
  /** Named choices of packages and tools, and who uses them. */
  readonly sets: SetOperations;
  /** What callers did, from the audit log. */
  readonly activity: Activity;
  /** Helps to write manifests. */
  readonly manifests: Manifests;
  /** Whether the host and its machine work, and what of its limits is in use. */
  readonly health: Health;
  /** The sessions that use packages now, oldest first. */
  openSessions(): Promise<readonly OpenSession[]>;
  /** How many sandboxed processes exist now, by purpose. */
  processes(): Promise<ProcessCounts>;
  /** Checks that nobody changed the audit log. */
  verifyAudit(options?: AuditProgressOptions): Promise<AuditVerdict>;
  /** How far the audit log and its checkpoints are. Verifies nothing. */
  auditStatus(): Promise<AuditStatus>;
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
  /** Calls that MCP clients follow as tasks. */
  readonly tasks: Tasks;
  /** Links to the console, and the browsers that they signed in. */
  readonly consoleAccess: ConsoleAccess;
  /** Tells what changed. */
  readonly changes: Changes;
  /** How many calls are in progress now. A held call is not. */
  activeCalls(): number;
}

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
  /** The files of a package as text. Throws `not_found` for an unknown package. */
  source(id: string): Promise<PackageSource>;
  /** Accepts a reviewed package. `digest`: `to` of the review, so that exactly the reviewed version is accepted. */
  accept(id: string, digest: string, by?: Actor): Promise<void>;
  /** The settings of this session that waive a question or a protection, and whether they are in force. */
  waivers(): Promise<readonly SessionWaiver[]>;
  /** Accepts one of them, by its id. It is then in force in every session with the same content. */
  acceptWaiver(id: string, by?: Actor): Promise<SessionWaiver>;
  /** A link that signs one browser in to the console, once. Throws `unavailable` if the host serves none. */
  consoleLink(): Promise<ConsoleLink>;
  /** Fetches and installs the language packages and images that a package's programs need. */
  install(id: string, options?: InstallOptions): Promise<InstallResult>;
  /**
   * Asks the operator for a package. Fetches nothing and decides nothing: a person makes the plan and agrees. Ask again
   * with the same source to learn what the person decided.
   */
  requestInstall(asked: AgentRequest): Promise<AgentRequestAnswer>;
  /** What packages really use, and the smallest grant for it. */
  readonly learning: Learning;
  /** Installed packages: plan, install, verify, update, roll back, revoke. */
  readonly installations: Installations;
  /** The package registries that the operator configured. */
  readonly registries: Registries;
  /** Sign-ins to MCP servers of packages. */
  readonly signIns: ServerSignIns;
  /** Ends the session. The host keeps running. */
  close(): Promise<void>;
}

/** A call from another process: it shows no progress and answers no questions of the tool. */
export type RemoteCallRequest = Omit<
  CallRequest,
  | 'onProgress'
  | 'onAsk'
  | 'onTask'
  | 'onRemoved'
  | 'clientRequests'
  | 'logging'
  | 'meta'
  | 'apps'
  | 'userText'
  | 'clientText'
  | 'isTyped'
>;

/** A session of a host in this process. */
export interface Session extends RemoteSession {
  call(request: CallRequest): Promise<Answer>;
  /** `client`: whom the server of the prompt may ask something meanwhile. */
  promptMessages(
    name: string,
    args: JsonObject,
    signal?: CancelSignal,
    client?: AskedClient,
  ): Promise<JsonObject>;
  /** `client`: whom the server of the resource may ask something meanwhile. */
  resource(uri: string, signal?: CancelSignal, client?: AskedClient): Promise<JsonObject>;
  /**
   * Calls `listener` when the lists of tools, prompts or resources may have changed. Returns a function that stops
   * it.
   */
  onChange(listener: () => void): () => void;
  /** The static page of a ready package, for the console. */
  page(id: string): Promise<StaticPage>;
  /** What upstream MCP servers say to those who use them, in the order of the packages. */
  instructions(): Promise<readonly PackageInstructions[]>;
  /**
   * Reports updates of a resource of an upstream until the signal, also after its server was restarted. Resolves when the
   * server has agreed. `onUpdate` gets the address of the resource, or of a part of it.
   */
  subscribe(uri: string, onUpdate: (uri: string) => void, signal: CancelSignal): Promise<void>;
  /**
   * Notes text that reaches this session in another way, such as the result of a task of another session, before it is shown.
   * `from`: what wrote it, for the person who decides about a later call.
   */
  note(from: string, content: Json): Promise<void>;
  /** The same session under another name: what it has seen is kept apart. See `SessionOptions.sessionName`. */
  named(sessionName: string): Session;
  /** Values for an argument of a prompt or resource template. Empty if its server offers none. */
  complete(request: CompletionRequest, signal?: CancelSignal): Promise<ArgumentValues>;
}
