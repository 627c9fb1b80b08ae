import type { AuditDurability } from '../../model/audit-durability.js';
import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';
import type { Requirements } from '../../policy/rules/requirements.js';
import type { Finding } from '../../policy/scan/redact-secrets.js';
import type { TaintMode } from '../../policy/taint/taint-verdict.js';
import type { ToolLabels } from '../../policy/taint/tool-labels.js';
import type { RunRequest, RunResult } from '../../run/run.js';
import type { Deadline } from '../../run/upstream/upstream.js';
import type { SchemaValidator } from '../../schema/validator.js';
import type { KeyStorageKind } from '../../secrets/key-storage.js';
import type { NoticeTarget } from '../operator/notice-target.js';
import type { PackageStatus } from '../packages/checked-package.js';
import type { ArgumentKeeping } from './kept-arguments.js';
import type { ToolHiding } from './tool-hiding.js';

/** A tool that one session can call, with everything the call pipeline needs to know about it. */
export interface CallableTool {
  /** `package/tool`. */
  readonly name: string;
  /** The name for clients whose tool names have no slash. */
  readonly exposed: string;
  readonly package: Package;
  /** Path of its manifest, for messages. */
  readonly file: string;
  readonly tool: Tool;
  /** The set of the session; null if it has none. */
  readonly set: CallSet | null;
  /** What is not known about it yet, for an explanation. */
  readonly unknown: readonly string[];
  /** Digest of the catalog that was shown. */
  readonly digest: string;
  /** What the creator, the operator and the host require of its calls, combined. */
  readonly requirements: Requirements;
  /** What its inputs decide, and what its results may contain. */
  readonly labels: ToolLabels;
  /** How strictly its calls are judged by what their session has seen. */
  readonly taintMode: TaintMode;
  /** Which of its results are hidden from the agent, and which inputs accept hidden ones. */
  readonly hiding: ToolHiding;
  /** Limits that the operator set for one call. */
  readonly bounds: CallBounds;
  /** What else decides what a call can do: the workspace and the grants. An approval covers these too. */
  readonly context: CallContext;
  /** Digest of the operator's policy for this session. */
  readonly policy: string;
  /** Where notices of held calls go; empty if nothing is configured. */
  readonly noticeTargets: readonly NoticeTarget[];
  /** Digest of which values the package has and who may receive them. */
  credentials(): Promise<string>;
  /** Of the audit entry before an ordinary call. */
  readonly auditDurability: AuditDurability;
  /** How the arguments of its calls are kept; null if only their digest is. */
  readonly argumentKeeping: ArgumentKeeping | null;
  /** Key storage for a vault key that is created now. */
  readonly keyStorage: KeyStorageKind | undefined;
  /** False if the operator turned the sandbox off; the audit log says so. */
  readonly sandboxed: boolean;
  /** What speaks against its installed release, so that each call needs a person. Throws if that cannot be found out. */
  releaseConcerns(): Promise<readonly string[]>;
  /** Throws the reason why the tool cannot be called now. */
  assertReady(): Promise<void>;
  /**
   * If a tool of an upstream needs review, asks its program again: the review ends if the accepted definition is back.
   * May start the program.
   */
  compareAgain(deadline: Deadline): Promise<void>;
  /** Throws if the program of the tool does not announce it as it was accepted. May start the program. */
  assertUnchanged(deadline: Deadline): Promise<void>;
  /** Throws if the sandbox cannot be enforced on this machine, or the workspace cannot be mounted. */
  assertSandboxReady(): Promise<void>;
  /** What the scanner would remove from an answer, and where. */
  findingsIn(result: Json): Promise<readonly Finding[]>;
  /** The error to report for a call that could not start. After an update, such errors lead back to the version before. */
  notStarted(error: unknown): Promise<unknown>;
  input(): Promise<SchemaValidator>;
  /** Validators from the tool's output schema and the package's guardrails; empty if there are none. */
  outputs(): Promise<readonly SchemaValidator[]>;
  /** Validator of the output that the tool only describes; undefined if it describes none. */
  describedOutput(): Promise<SchemaValidator | undefined>;
  /** Throws if the arguments contain a secret that the tool must not get. */
  checkForSecrets(input: JsonObject): Promise<void>;
  run(request: RunRequest): Promise<RunResult>;
}

/** The set of a session, and what it says about one tool. */
export interface CallSet {
  readonly name: string;
  readonly digest: string;
  /** Arguments that every call of the tool gets; empty if there are none. */
  readonly fixed: JsonObject;
}

export interface CallContext {
  /** Null if the tool sees no workspace. */
  readonly workspace: string | null;
  /** The grants, as given with `--allow`. */
  readonly allow: readonly string[];
}

export interface CallBounds {
  /** Undefined means the default timeout. */
  readonly wallMs: number | undefined;
  readonly outputBytes: number;
}

export function notReadyError(name: string, { state, reasons, code: statusCode }: PackageStatus): HostError {
  const why = reasons.length === 0 ? state : reasons.join('; ');
  const codes = {
    'needs-setup': 'needs_setup',
    'needs-review': 'needs_review',
    disabled: 'disabled',
  } as const;
  const code =
    statusCode ?? (Object.hasOwn(codes, state) ? codes[state as keyof typeof codes] : 'unavailable');
  return new HostError(code, `${name} cannot be called: ${why}`);
}
