import type { Evidence } from '../model/approval.js';
import type { AuditVerdict } from '../model/audit.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { HostErrorCode } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Signal } from '../model/signal.js';
import type { Tool } from '../model/tool.js';
import type { ConfirmationKind } from '../policy/decide.js';
import type { Progress } from '../run/upstream/upstream.js';
import type { AuditEntry } from './audit-reader.js';
import type { Change, InstallOptions, Review } from './change.js';
import type { ExplainRequest, Explanation } from './explanation.js';
import type { MessagePoint, MessageVerdict } from './message.js';
import type {
  Approvals,
  KeptArguments,
  Kills,
  Outcomes,
  ProcessCounts,
  Secrets,
  Switches,
  Tokens,
} from './operator.js';
import type { Actor, OperatorAuth } from './operator-auth.js';
import type { SessionPolicy } from './session-policy.js';

export type { Progress } from '../run/upstream/upstream.js';
export type { AuditEntry, AuditPlaces, AuditReader, ProvenEntry } from './audit-reader.js';
export type { Change, ChangeStep, InstallOptions, Review } from './change.js';
export type { ExplainedLimit, ExplainedPermissions, ExplainRequest, Explanation } from './explanation.js';
export type { MessagePoint, MessageVerdict } from './message.js';
export type {
  Approvals,
  Check,
  KeptArguments,
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
  PinGuarded,
  PinReset,
  PinStatus,
  VerifiedActor,
} from './operator-auth.js';
export type {
  BrokerPolicy,
  ContainerPolicy,
  LimitPolicy,
  PackageIndexes,
  SealingPolicy,
  SessionPolicy,
} from './session-policy.js';

/** Everything a surface may ask. */
export interface Host {
  session(options: SessionOptions): Promise<Session>;
  readonly approvals: Approvals;
  readonly operator: OperatorAuth;
  readonly secrets: Secrets;
  readonly switches: Switches;
  readonly kills: Kills;
  readonly outcomes: Outcomes;
  readonly keptArguments: KeptArguments;
  readonly tokens: Tokens;
  /** Confined processes there are now, by what they are for. */
  processes(): Promise<ProcessCounts>;
  verifyAudit(): Promise<AuditVerdict>;
  auditTail(count: number): Promise<readonly AuditEntry[]>;
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Who is asking: the user and the program, such as `alice/cli`; `library` unless told. */
  readonly principal?: string;
  /** Files and folders with packages; naming them is the operator's act. */
  readonly directories: readonly string[];
  /** What the operator named, where the directories are parts of it that somebody else chose; else the directories. */
  readonly named?: readonly string[];
  /** The workspace of this session, absolute; the working directory unless told. */
  readonly root?: string;
  /** Grants in the grammar of `--allow`; none unless told. */
  readonly allow?: readonly string[];
  /** Values of the variables that `allow` names with `env:NAME`; a host reads no environment by itself. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly policy?: SessionPolicy;
  /** Only look: what is found at paths that were never named before waits for a review. */
  readonly looking?: boolean;
}

/** One caller's view of the host. */
export interface Session {
  packages(): Promise<PackageReport>;
  /** What can be called now, in a fixed order. */
  tools(): Promise<readonly ListedTool[]>;
  call(request: CallRequest): Promise<Answer>;
  /** What would happen to a call now, and which rule says so; nothing runs. */
  explain(request: ExplainRequest): Promise<Explanation>;
  /** Lets extensions look at a message on its way to the agent or back. For programs that embed the host. */
  message(point: MessagePoint, message: JsonObject, signal?: Signal): Promise<MessageVerdict>;
  /** Prompts of packages that are served, in a fixed order. Nothing of them is ever run. */
  prompts(): Promise<readonly ListedPrompt[]>;
  /** The words of a prompt, filled where it is a template; `not_found` when there is none of that name. */
  prompt(name: string, given: JsonObject): Promise<string>;
  /** The same with all its messages, as MCP has them: prompts of servers may have pictures and parts of both sides. */
  promptMessages(name: string, given: JsonObject, signal?: Signal): Promise<JsonObject>;
  /** Resources of servers behind this host, and their templates. */
  resources(): Promise<readonly ListedResource[]>;
  /** Reads a resource from its server: `{contents: […]}`; `not_found` when none here has it. */
  resource(uri: string, signal?: Signal): Promise<JsonObject>;
  /** Told when the list of tools or prompts may be another; returns how to stop. */
  onChange(listener: () => void): () => void;
  /** What changed in a held package since somebody agreed to it. */
  review(id: string): Promise<Review>;
  /** Agrees to exactly what was shown. */
  accept(id: string, digest: string, by?: Actor): Promise<void>;
  /** Fetches and installs what a package's programs need. */
  install(id: string, options?: InstallOptions): Promise<Change>;
  close(): Promise<void>;
}

export interface ListedPrompt {
  /** The name for clients; unique in the session. */
  readonly name: string;
  readonly package: string;
  /** `template`: a tool of the package that fills a text, offered as a prompt too. `server`: of an MCP server. */
  readonly kind: 'instructions' | 'skill' | 'template' | 'server';
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** What a user could say to begin with. */
  readonly examples: readonly string[];
  readonly tags: readonly string[];
}

export interface ListedResource {
  /** `upstream://PACKAGE/SERVER/` and the server's own address; of a template, with its holes. */
  readonly uri: string;
  readonly package: string;
  readonly isTemplate: boolean;
  /** As the server described it, under the address above. */
  readonly entry: JsonObject;
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export type PackageStateName =
  | 'ready'
  | 'needs-setup'
  | 'unavailable'
  | 'needs-review'
  | 'disabled'
  | 'broken'
  | 'killed';

export type SandboxLevel = 'enforced' | 'degraded' | 'declared-only' | 'none';

export interface PackageState {
  /** Null where a broken manifest has none. */
  readonly id: string | null;
  readonly version: string;
  readonly format: string;
  readonly path: string;
  readonly state: PackageStateName;
  readonly reasons: readonly string[];
  readonly sandbox: SandboxLevel;
  readonly tools: readonly {
    readonly name: string;
    readonly exposed: string;
    readonly description: string;
  }[];
  /** Extensions and servers that were needed since the host started. */
  readonly programs?: readonly ProgramState[];
  readonly package?: Package;
  /** Digest of everything that was read. */
  readonly digest?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** How a program that is kept is doing for this caller. */
export interface ProgramState {
  readonly name: string;
  readonly state: 'stopped' | 'starting' | 'running' | 'resting' | 'failed';
  /** Why it is not up, where it should be. */
  readonly reason?: string;
  /** How often it ended by itself since it was last steady. */
  readonly ends: number;
}

export interface PackageReport {
  readonly packages: readonly PackageState[];
  readonly summary: {
    readonly scanned: number;
    readonly found: number;
    /** Manifests inside a package of their own format, which belong to it. */
    readonly nested: number;
    readonly invalid: number;
    readonly disabled: number;
    readonly unavailable: number;
  };
}

export interface ListedTool {
  /** `package/tool`. */
  readonly name: string;
  /** The name for surfaces without slashes. */
  readonly exposed: string;
  readonly tool: Tool;
  /** Digest of what a person agrees to with it. */
  readonly definition: string;
}

export interface CallRequest {
  /** `package/tool`, an exposed name, or `patch_confirm_action`. */
  readonly tool: string;
  readonly arguments: Json;
  readonly timeoutMs?: number | undefined;
  readonly signal?: Signal | undefined;
  /** Told how far a tool is that says so itself. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Puts a question of the tool (the `params` of MCP's elicitation) to a person; where it is absent, tools are declined. */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
}

export interface AnswerError {
  readonly code: HostErrorCode;
  readonly message: string;
  readonly hint?: string;
}

export interface Confirmation {
  /** Names the stored call. It does not allow anything by itself. */
  readonly token: string;
  readonly kind: ConfirmationKind;
  readonly reasons: readonly string[];
  /** What would run. */
  readonly tool: string;
  readonly arguments: Json;
  readonly evidence: readonly Evidence[];
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}

interface AnswerBase {
  readonly tool: string;
  readonly callId: string;
  readonly durationMs: number;
}

export type Answer = AnswerBase &
  (
    | {
        readonly status: 'ok';
        readonly result: Json;
        readonly log?: string;
        readonly warnings: readonly string[];
        /** The answer in parts as MCP has them, where the tool gave it so. */
        readonly parts?: readonly JsonObject[];
        /** What the tool's server wrote beside its answer, for clients. */
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
