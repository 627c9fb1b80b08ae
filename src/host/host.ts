import type { ApprovalRequest, ApprovalState } from '../model/approval.js';
import type { AuditVerdict } from '../model/audit.js';
import type { Diagnostic } from '../model/diagnostic.js';
import type { HostErrorCode } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { ConfirmationKind } from '../policy/decide.js';

/** Everything a surface may ask. */
export interface Host {
  session(options: SessionOptions): Promise<Session>;
  readonly approvals: Approvals;
  verifyAudit(): Promise<AuditVerdict>;
  auditTail(count: number): Promise<readonly AuditLine[]>;
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Who is asking: the user and the program, such as `alice/cli`; `library` unless told. */
  readonly principal?: string;
  /** Files and folders with packages; naming them is the operator's act. */
  readonly directories: readonly string[];
  /** The workspace of this session, absolute; the working directory unless told. */
  readonly root?: string;
  /** Grants in the grammar of `--allow`; none unless told. */
  readonly allow?: readonly string[];
}

/** One caller's view of the host. */
export interface Session {
  packages(): Promise<PackageReport>;
  /** What can be called now, in a fixed order. */
  tools(): Promise<readonly ListedTool[]>;
  call(request: CallRequest): Promise<Answer>;
  close(): Promise<void>;
}

export type PackageStateName = 'ready' | 'needs-setup' | 'gated' | 'held' | 'disabled' | 'broken' | 'killed';

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
  readonly package?: Package;
  readonly diagnostics: readonly Diagnostic[];
}

export interface PackageReport {
  readonly packages: readonly PackageState[];
  readonly summary: {
    readonly scanned: number;
    readonly found: number;
    readonly invalid: number;
    readonly disabled: number;
    readonly gated: number;
  };
}

export interface ListedTool {
  /** `package/tool`. */
  readonly name: string;
  /** The name for surfaces without slashes. */
  readonly exposed: string;
  readonly tool: Tool;
}

export interface CallRequest {
  /** `package/tool`, an exposed name, or `patch_confirm_action`. */
  readonly tool: string;
  readonly arguments: Json;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
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

/** Operator acts: never offered to an agent. */
export interface Approvals {
  list(states?: readonly ApprovalState[]): Promise<readonly ApprovalRequest[]>;
  get(id: string): Promise<ApprovalRequest>;
  approve(id: string, by: string): Promise<ApprovalRequest>;
  deny(id: string, by: string): Promise<ApprovalRequest>;
}

export interface AuditLine {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/** The tool by which an agent asks to run a held call after a person approved it. */
export const confirmToolName = 'patch_confirm_action';
