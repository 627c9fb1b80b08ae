/** Toolwharf as a library: run the host that the `toolwharf` command uses inside your own program. */

export { connectHost } from './connect.js';
export type { ManifestEditor, ReadManifest, WrittenManifest } from './formats/manifest-editor.js';
export type { PlainServer, ServerValue, ServerWriter } from './formats/server-writer.js';
export type { AnswerBase } from './host/call/call-request.js';
export type { Sourced } from './host/call/explanation.js';
export type {
  ListedResource,
  PackageStateName,
  ProgramState,
  PromptArgument,
} from './host/catalog/listed.js';
export { createHost } from './host/create.js';
export type {
  AcceptedWaiver,
  Activity,
  ActivityQuery,
  ActivitySpan,
  Answer,
  AnswerError,
  ApprovalLinkOperations,
  Approvals,
  ArgumentValues,
  AuditEntry,
  AuditLocations,
  AuditProgressOptions,
  AuditRollback,
  BinaryContent,
  CallLogging,
  CallRequest,
  Changes,
  ChangeTopic,
  Check,
  CheckedDraft,
  ClientRequestMethod,
  ClientRequests,
  CompletionRequest,
  Confirmation,
  ConsoleAccess,
  ConsoleLink,
  ConsoleVisit,
  DeclaredValue,
  DevelopmentOptions,
  DiskUse,
  DraftFile,
  EndorsementEntry,
  ExplainedFinding,
  ExplainedLimit,
  ExplainedPermissions,
  ExplainedTaint,
  ExplainedValue,
  ExplainRequest,
  Explanation,
  FirstAcceptance,
  Health,
  HealthOverview,
  Host,
  InstallOptions,
  InstallResult,
  KillEntry,
  KillOutcome,
  Kills,
  LabelOperations,
  LabelSessionEntry,
  LimitPolicy,
  LimitUse,
  LinkVerdict,
  ListedPrompt,
  ListedTool,
  ManifestDraft,
  Manifests,
  MessagePoint,
  MessageVerdict,
  MovedFile,
  NewTask,
  OAuthPolicy,
  OpenSession,
  PackageIndexes,
  PackageInstructions,
  PackageReport,
  PackageReview,
  PackageSource,
  PackageState,
  QuarantineOperations,
  ReadDraft,
  RemoteCallRequest,
  RemoteHost,
  RemoteSession,
  ReportedSet,
  Rollbacks,
  RulePreview,
  RunningTask,
  SavedToolSet,
  SecretAudience,
  SecretEntry,
  SecretInput,
  Secrets,
  ServeConsole,
  Session,
  SessionIntent,
  SessionOptions,
  SessionPolicy,
  SessionWaiver,
  SetBinding,
  SetBindingInput,
  SetOperations,
  SetSubjectInput,
  SetSubjectKind,
  Switches,
  TaintPolicy,
  TaskCall,
  Tasks,
  TextDifference,
  TokenEntry,
  TokenInput,
  Tokens,
  ToolSet,
  ToolSetEntry,
  ToolView,
  WaiverOperations,
  WrittenDraft,
} from './host/host.js';
export type {
  AgentRequest,
  AgentRequestAnswer,
  ChangeOptions,
  ChangeProgress,
  ChangeStep,
  ChangeStepName,
  CostEstimate,
  DecidedReview,
  GarbageReport,
  GenerationEntry,
  GenerationName,
  Installation,
  InstallationOrigin,
  Installations,
  InstalledPackage,
  InstallRequest,
  InstallRequests,
  LearnedAccess,
  Learning,
  LearnProposal,
  LockPlan,
  LockPlanRequest,
  Narrowing,
  NarrowRequest,
  OutdatedPackage,
  PackageChange,
  Plan,
  PlanChanges,
  PlannedCredential,
  PlannedPackage,
  PlanRequest,
  ProposalRequest,
  PublicationReview,
  PublicationReviews,
  Registries,
  RegistryPackage,
  RegistryPackageRelease,
  RegistryPackageRequest,
  RegistryPackageSummary,
  RegistryProblem,
  RegistryReading,
  RegistrySearch,
  RegistrySearchHit,
  RegistrySearchResult,
  RegistryStatus,
  RemoveRequest,
  RequestDecision,
  RequestedInstallation,
  RequestedInstallationState,
  RestoreReport,
  RestoreRequest,
  ReviewDecisionRequest,
  RevokeRequest,
  RollbackRequest,
  SeenLogHead,
  ServerDraft,
  ServerRequest,
  ServerTrial,
  ServerTrialRequest,
  SmokeResult,
  UnchangedPackage,
  ValueRequest,
  WatchedTime,
  WatchRequest,
} from './host/lifecycle/lifecycle-types.js';
export type { StandingRuleOperations } from './host/operator/approvals.js';
export type {
  KeptArgumentOperations,
  KeyChange,
  OpenedArguments,
  Outcomes,
  ProcessCounts,
  TokenKind,
  TokenRole,
  UnknownOutcome,
  VaultKeyStorage,
} from './host/operator/operator.js';
export type {
  Actor,
  Operator,
  OperatorAuth,
  OperatorSignIn,
  PinStatus,
  VerifiedActor,
} from './host/operator/operator-auth.js';
export type { HostOptions } from './host/options.js';
export type { InstallStep } from './host/packages/package-change.js';
export type { BrokerPolicy, ContainerPolicy, SealingPolicy } from './host/session-policy.js';
export type {
  ServerSignIn,
  ServerSignIns,
  SignInBegin,
  SignInCheck,
  SignInFinish,
  SignInOffer,
  SignInStart,
  SignOutRequest,
  SignOutResult,
} from './host/upstream/server-sign-ins.js';
export type {
  Action,
  CallingConvention,
  HeaderTemplate,
  HttpBody,
  HttpMethod,
  OutputReader,
  QueryParameter,
  UrlTemplate,
} from './model/action.js';
export type {
  ActivityCall,
  ActivityFilter,
  ActivityGroup,
  ActivityPage,
  ActivitySummary,
  LatencyPercentiles,
} from './model/activity.js';
export type {
  ApprovalBinding,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalState,
  Channel,
  Evidence,
} from './model/approval.js';
export type { AuditStatus, AuditVerdict } from './model/audit.js';
export type { AuditDurability } from './model/audit-durability.js';
export type { CancelSignal } from './model/cancel-signal.js';
export type {
  ContributedPackage,
  ContributionDecision,
  ContributionFinding,
  ContributionSeverity,
  ContributionStage,
  ContributionVerdict,
  ModelVerdict,
} from './model/contribution.js';
export type { Diagnostic, Range, RelatedPlace } from './model/diagnostic.js';
export type { Guardrails, RateLimit, ToolGuardrails } from './model/guardrails.js';
export type { HostErrorOptions } from './model/host-error.js';
export {
  type FailedToolResult,
  HostError,
  type HostErrorCode,
  type InputProblem,
  type ToolError,
  type Transient,
} from './model/host-error.js';
export type { FailedUpdate, GenerationTrial } from './model/installation.js';
export type { Json, JsonObject, JsonSchema } from './model/json.js';
export type {
  Cost,
  InstallPlan,
  KillSwitchPlan,
  PointerAssertion,
  SmokeCheck,
  SmokeSuccess,
  SmokeTest,
} from './model/lifecycle.js';
export type { LogLevel } from './model/log-level.js';
export type { NotifyKind, NotifyTarget } from './model/notify-target.js';
export type { Fact, Hook, HookPoint, Needs, Package, Prompt, PromptBody } from './model/package.js';
export type {
  CallAccess,
  DeniedHosts,
  FilesystemAccess,
  FolderAccess,
  NetworkAccess,
  NetworkHost,
  PermissionScope,
  Permissions,
  ScopeVerb,
} from './model/permissions.js';
export type {
  EnvironmentVariable,
  Lifetime,
  Program,
  ProgramRole,
  ProgramTarget,
  Protocol,
  Runtime,
} from './model/program.js';
export type { QuarantineAction } from './model/quarantine-action.js';
export type { RegistrySetting } from './model/registry-setting.js';
export type { BuiltInCause, Rule, RuleOrigin, SpendCap } from './model/rule.js';
export type { SandboxLevel } from './model/sandbox-level.js';
export type { Severity } from './model/severity.js';
export type { Audience, AuthScheme, Slot, SlotDelivery, SlotSource } from './model/slot.js';
export type { ArgumentCondition, Condition, StandingRule, StandingRuleInput } from './model/standing-rule.js';
export type { StaticPage } from './model/static-page.js';
export type { StoredTask, TaskChange, TaskState } from './model/stored-task.js';
export type { JsonMember, JsonTemplate, Template, TemplatePart } from './model/template.js';
export type { Annotations, Effect, Tool, ToolExample } from './model/tool.js';
export type { ViolationAction } from './model/violation.js';
export type { Waiver, WaiverKind } from './model/waiver.js';
export type { NetworkReach } from './net/destination.js';
export type { HttpClient, HttpRequest, HttpResponse, HttpStream, RequestLimits } from './net/http-client.js';
export type { ConfirmationKind } from './policy/decide.js';
export type { Endorsement, EndorsementSource } from './policy/taint/endorsements.js';
export type { Integrity, Secrecy, TaintLabel } from './policy/taint/taint-label.js';
export type { TaintMode } from './policy/taint/taint-verdict.js';
export type { TaintLevel } from './policy/taint/tool-labels.js';
export type { ViolationPolicy } from './policy/violation.js';
export type { AskedClient, Progress } from './run/run.js';
export type { SupervisionPolicy } from './run/upstream/supervision-policy.js';
export type {
  Mount,
  ProbeOptions,
  ProbeResult,
  ProcessExit,
  Sandbox,
  SandboxCommand,
  SandboxLimits,
  SandboxProcess,
} from './sandbox/sandbox.js';
export type { Keychain } from './secrets/keychain.js';
export type { ConnectOptions } from './serve/remote/connect-host.js';
export type { HttpHostOptions } from './serve/remote/http-host.js';
