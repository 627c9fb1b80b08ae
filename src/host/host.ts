import type { Evidence } from '../model/approval.js';
import type { AuditVerdict } from '../model/audit.js';
import type { CancelSignal } from '../model/cancel-signal.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { HostErrorCode } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { ConfirmationKind } from '../policy/decide.js';
import type { Progress } from '../run/upstream/upstream.js';
import type { AuditEntry } from './audit-reader.js';
import type { ExplainRequest, Explanation } from './explanation.js';
import type { MessagePoint, MessageVerdict } from './message-hooks.js';
import type {
  Approvals,
  KeptArgumentOperations,
  Kills,
  Outcomes,
  ProcessCounts,
  Secrets,
  Switches,
  Tokens,
} from './operator.js';
import type { Actor, OperatorAuth } from './operator-auth.js';
import type { InstallOptions, InstallResult, PackageReview } from './package-change.js';
import type { SessionPolicy } from './session-policy.js';

export type { Progress } from '../run/upstream/upstream.js';
export type { AuditEntry, AuditLocations, AuditReader, HashedAuditEntry } from './audit-reader.js';
export type { ExplainedLimit, ExplainedPermissions, ExplainRequest, Explanation } from './explanation.js';
export type { MessagePoint, MessageVerdict } from './message-hooks.js';
export type {
  Approvals,
  Check,
  KeptArgumentOperations,
  KeyChange,
  KillEntry,
  KillOutcome,
  Kills,
  OpenedArguments,
  Outcomes,
  ProcessCounts,
  SecretAudience,
  SecretEntry,
  SecretInput,
  Secrets,
  StandingRuleOperations,
  Switches,
  TokenEntry,
  TokenInput,
  TokenRole,
  Tokens,
  UnknownOutcome,
  VaultKeyStorage,
} from './operator.js';
export type {
  Actor,
  Operator,
  OperatorAuth,
  PinProtectedCounts,
  PinReset,
  PinStatus,
  VerifiedActor,
} from './operator-auth.js';
export type { InstallOptions, InstallResult, InstallStep, PackageReview } from './package-change.js';
export type {
  BrokerPolicy,
  ContainerPolicy,
  LimitPolicy,
  PackageIndexes,
  SealingPolicy,
  SessionPolicy,
} from './session-policy.js';

/**
 * A running host: sessions for callers, and the operations of the operator. The CLI, HTTP and MCP servers use only
 * this.
 */
export interface Host {
  /** Opens a session: loads and checks its packages. */
  session(options: SessionOptions): Promise<Session>;
  /** Held calls, and standing rules that let calls run without asking. */
  readonly approvals: Approvals;
  /** The operator's PIN. */
  readonly operator: OperatorAuth;
  /** Secrets and settings of packages. Secret values can be set, never read. */
  readonly secrets: Secrets;
  /** Enables and disables packages. */
  readonly switches: Switches;
  /** The kill switch: stops calls and programs at once. */
  readonly kills: Kills;
  /** Calls that were running when a host crashed, so that their result is unknown. */
  readonly outcomes: Outcomes;
  /** Stored, encrypted arguments of earlier calls. */
  readonly keptArguments: KeptArgumentOperations;
  /** Access tokens for HTTP clients. */
  readonly tokens: Tokens;
  /** How many sandboxed processes exist now, by purpose. */
  processes(): Promise<ProcessCounts>;
  /** Checks that nobody changed the audit log. */
  verifyAudit(): Promise<AuditVerdict>;
  /** The last `count` entries of the audit log, oldest first. */
  auditTail(count: number): Promise<readonly AuditEntry[]>;
  /** Cancels running calls, ends all processes and releases the state directory. */
  close(): Promise<void>;
}

/** What one caller may use: packages, workspace, grants and policy. */
export interface SessionOptions {
  /** Who calls: the user and the program, such as `alice/cli`. Default: `library`. */
  readonly principal?: string;
  /**
   * Files and folders with packages. Packages found there for the first time count as accepted by the operator, see
   * `acceptNewIn` and `inspectOnly`.
   */
  readonly directories: readonly string[];
  /**
   * Paths in which packages found for the first time are accepted. Set it when somebody other than the operator chose
   * `directories`. Default: `directories`.
   */
  readonly acceptNewIn?: readonly string[];
  /** The workspace of the session: an absolute path. Default: the working directory. */
  readonly root?: string;
  /** Grants, in the syntax of `--allow`. Default: none. */
  readonly allow?: readonly string[];
  /** Values of the variables that `allow` grants with `env:NAME`. The host does not read its own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Rules, limits and other settings of the operator. */
  readonly policy?: SessionPolicy;
  /** Accepts nothing: packages found for the first time need review. Overrides `acceptNewIn`. */
  readonly inspectOnly?: boolean;
}

/** One caller's view of the host: its packages, tools, prompts and resources. */
export interface Session {
  /** All packages that were found, with their state. */
  packages(): Promise<PackageReport>;
  /** The tools that can be called now, sorted by name. */
  tools(): Promise<readonly ListedTool[]>;
  /** Calls a tool through the call pipeline. Failures are answers too; see `Answer.status`. */
  call(request: CallRequest): Promise<Answer>;
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
  /**
   * Calls `listener` when the lists of tools, prompts or resources may have changed. Returns a function that stops
   * it.
   */
  onChange(listener: () => void): () => void;
  /** What changed in a package, or in what its programs announce, since the operator accepted it. */
  review(id: string): Promise<PackageReview>;
  /** Accepts a reviewed package. `digest`: `to` of the review, so that exactly the reviewed version is accepted. */
  accept(id: string, digest: string, by?: Actor): Promise<void>;
  /** Fetches and installs the language packages and images that a package's programs need. */
  install(id: string, options?: InstallOptions): Promise<InstallResult>;
  /** Ends the session. The host keeps running. */
  close(): Promise<void>;
}

/** A prompt that clients can list and get. */
export interface ListedPrompt {
  /** The name for clients; unique in the session. */
  readonly name: string;
  readonly package: string;
  /**
   * `template`: a tool of the package that fills a text, offered as a prompt too. `server`: from an upstream MCP
   * server.
   */
  readonly kind: 'instructions' | 'skill' | 'template' | 'server';
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Messages that a user could start with. */
  readonly examples: readonly string[];
  readonly tags: readonly string[];
}

/** A resource, or a resource template, of an upstream MCP server. */
export interface ListedResource {
  /** `upstream://PACKAGE/SERVER/` and the server's own URI. For a template: a URI template. */
  readonly uri: string;
  readonly package: string;
  readonly isTemplate: boolean;
  /** The entry of the server's list, with `uri` or `uriTemplate` replaced by the one above. */
  readonly entry: JsonObject;
}

/** An argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** Only the tools of a `ready` package can be called. */
export type PackageStateName =
  | 'ready'
  | 'needs-setup'
  | 'unavailable'
  | 'needs-review'
  | 'disabled'
  | 'broken'
  | 'killed';

/**
 * How strongly the sandbox confines a package. `declared-only`: the operator turned the sandbox off. `none`: at least
 * one program runs on another machine, or nothing confines it.
 */
export type SandboxLevel = 'enforced' | 'degraded' | 'declared-only' | 'none';

/** One package, with its state and the reasons for it. */
export interface PackageState {
  /** Null if the manifest is broken and has no id. */
  readonly id: string | null;
  readonly version: string;
  readonly format: string;
  /** Absolute path of the manifest. */
  readonly path: string;
  readonly state: PackageStateName;
  /** Why the package is in this state, with the next step. A ready package may have remarks here. */
  readonly reasons: readonly string[];
  readonly sandbox: SandboxLevel;
  /** Without tools that need review. */
  readonly tools: readonly {
    readonly name: string;
    readonly exposed: string;
    readonly description: string;
  }[];
  /** Upstreams that were used since the host started. */
  readonly programs?: readonly ProgramState[];
  /** The parsed manifest. Absent if the package is broken. */
  readonly package?: Package;
  /** SHA-256 of the parsed manifest and all files, in hex. */
  readonly digest?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** The state of an upstream for this caller. */
export interface ProgramState {
  readonly name: string;
  readonly state: 'stopped' | 'starting' | 'running' | 'backoff' | 'failed';
  /** Why it is not running although it should be. */
  readonly reason?: string;
  /** How often it exited unexpectedly since it last ran stably. */
  readonly exits: number;
}

/** All packages of a session. Packages that cannot be used are listed too, with the reason. */
export interface PackageReport {
  readonly packages: readonly PackageState[];
  readonly summary: {
    /** Files that were looked at. */
    readonly scanned: number;
    readonly found: number;
    /** Manifests inside a package of the same format; they are part of that package. */
    readonly nested: number;
    readonly invalid: number;
    readonly disabled: number;
    readonly unavailable: number;
  };
}

/** A tool that can be called now. */
export interface ListedTool {
  /** `package/tool`. */
  readonly name: string;
  /** The name for clients that allow no slash in tool names. */
  readonly exposed: string;
  readonly tool: Tool;
  /** Digest of the tool's definition. An approval applies to this version only. */
  readonly definition: string;
}

/** A call of a tool. */
export interface CallRequest {
  /** `package/tool`, an exposed name, or `patch_confirm_action`. */
  readonly tool: string;
  readonly arguments: Json;
  /** Default: the tool's own time limit. Bounded by `limits.wallSeconds` of the policy. */
  readonly timeoutMs?: number | undefined;
  /** Cancels the call. */
  readonly signal?: CancelSignal | undefined;
  /** Receives the progress that a tool reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Asks a person a question of the tool: receives the `params` of MCP's `elicitation/create`, resolves to its
   * result. If absent, the question is declined.
   */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
}

/** Why a call has no result. */
export interface AnswerError {
  readonly code: HostErrorCode;
  readonly message: string;
  /** The next step. */
  readonly hint?: string;
}

/** A held call: it runs only after it is confirmed or approved. */
export interface Confirmation {
  /** Identifies the held call. It permits nothing by itself. */
  readonly token: string;
  readonly kind: ConfirmationKind;
  /** Why the call is held. */
  readonly reasons: readonly string[];
  /** The tool and arguments that run after approval. */
  readonly tool: string;
  readonly arguments: Json;
  readonly evidence: readonly Evidence[];
  /** When the held call expires: ISO 8601, UTC. */
  readonly expiresAt: string;
}

interface AnswerBase {
  readonly tool: string;
  /** Identifies the call in the audit log. */
  readonly callId: string;
  readonly durationMs: number;
}

/** The answer to a call: a result, an error, or a held call that waits for confirmation. */
export type Answer = AnswerBase &
  (
    | {
        readonly status: 'ok';
        readonly result: Json;
        /** Output of the tool beside its result, for people; without secrets. */
        readonly log?: string;
        readonly warnings: readonly string[];
        /** The result as MCP content blocks, if the tool is an MCP tool. */
        readonly parts?: readonly JsonObject[];
        /** `_meta` of the MCP result. */
        readonly meta?: JsonObject;
      }
    | {
        readonly status: 'error' | 'denied' | 'timeout' | 'external_auth_required';
        readonly error: AnswerError;
      }
    | {
        readonly status: 'confirmation_required';
        readonly confirmation: Confirmation;
        readonly error?: AnswerError;
      }
  );
