/** Toolwharf as a library: run the host that the `toolwharf` command uses inside your own program. */

export { connectHost } from './connect.js';
export { createHost } from './host/create.js';
export type {
  AcceptedWaiver,
  Answer,
  AnswerError,
  Approvals,
  AuditEntry,
  AuditLocations,
  AuditRollback,
  BinaryContent,
  CallRequest,
  Confirmation,
  DevelopmentOptions,
  ExplainedFinding,
  ExplainedLimit,
  ExplainedPermissions,
  ExplainRequest,
  Explanation,
  FirstAcceptance,
  Host,
  InstallOptions,
  InstallResult,
  KillEntry,
  KillOutcome,
  Kills,
  LimitPolicy,
  ListedPrompt,
  ListedTool,
  MessagePoint,
  MessageVerdict,
  MovedFile,
  PackageIndexes,
  PackageReport,
  PackageReview,
  PackageState,
  QuarantineOperations,
  RemoteCallRequest,
  RemoteHost,
  RemoteSession,
  Rollbacks,
  SecretAudience,
  SecretEntry,
  SecretInput,
  Secrets,
  Session,
  SessionIntent,
  SessionOptions,
  SessionPolicy,
  SessionWaiver,
  Switches,
  TokenEntry,
  TokenInput,
  Tokens,
  WaiverOperations,
} from './host/host.js';
export type { HostOptions } from './host/options.js';
export type { Diagnostic, Range } from './model/diagnostic.js';
export { HostError, type HostErrorCode, type ToolError } from './model/host-error.js';
export type { Json, JsonObject, JsonSchema } from './model/json.js';
export type { Package } from './model/package.js';
export type { Rule, RuleOrigin, SpendCap } from './model/rule.js';
export type { Severity } from './model/severity.js';
export type { Tool } from './model/tool.js';
export type { Waiver, WaiverKind } from './model/waiver.js';
export type { ConnectOptions } from './serve/remote/connect-host.js';
