import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { Demands } from '../policy/combine.js';
import type { RunRequest, RunResult } from '../run/run.js';
import type { SchemaValidator } from '../schema/validator.js';
import type { Keeping } from './kept-arguments.js';
import type { NoticePlace } from './notices.js';
import type { PackageStatus } from './readiness.js';

/** A tool as one session may call it. */
export interface CallableTool {
  /** `package/tool`. */
  readonly name: string;
  readonly exposed: string;
  readonly package: Package;
  /** Path of its manifest, as it is shown. */
  readonly file: string;
  readonly tool: Tool;
  /** Digest of the catalog that was shown. */
  readonly digest: string;
  /** What its creator, the operator and the platform demand of its calls, all together. */
  readonly demands: Demands;
  /** Bounds on one call that the operator set; undefined leaves the usual ones. */
  readonly bounds: CallBounds;
  /** What else decides what a call does: the folder it works in, and what was granted. A person agrees to these too. */
  readonly setting: CallSetting;
  /** Digest of the operator's policy for this session. */
  readonly policy: string;
  /** Where people want to hear of held calls; null where nobody does. */
  readonly notice: NoticePlace | null;
  /** Stands for which values the package has and who may receive them. */
  credentials(): Promise<string>;
  /** How the arguments of its calls are kept; null where only their digest is. */
  readonly keeping: Keeping | null;
  /** False when somebody asked for no confinement; the record says so. */
  readonly confined: boolean;
  /** Throws the reason why the tool cannot be called now. */
  assertReady(): Promise<void>;
  /** Throws when the sandbox does not hold on this machine, or the workspace cannot be lent. */
  assertConfined(): Promise<void>;
  input(): Promise<SchemaValidator>;
  /** What the tool and the package's guardrails declare of the answer; empty when they say nothing. */
  outputs(): Promise<readonly SchemaValidator[]>;
  /** Throws when the arguments hold a secret that is not the tool's. */
  screen(input: JsonObject): Promise<void>;
  run(request: RunRequest): Promise<RunResult>;
}

export interface CallSetting {
  /** Null for a tool that sees no workspace. */
  readonly workspace: string | null;
  readonly allow: readonly string[];
}

export interface CallBounds {
  readonly wallMs: number | undefined;
  readonly outputBytes: number;
}

export function notReady(name: string, { state, reasons, code: told }: PackageStatus): HostError {
  const why = reasons.length === 0 ? state : reasons.join('; ');
  const codes = {
    'needs-setup': 'needs_setup',
    'needs-review': 'needs_review',
    disabled: 'disabled',
  } as const;
  const code = told ?? (Object.hasOwn(codes, state) ? codes[state as keyof typeof codes] : 'unavailable');
  return new HostError(code, `${name} cannot be called: ${why}`);
}
