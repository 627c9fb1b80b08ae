import type { Action } from './action.js';
import type { Json, JsonObject, JsonSchema } from './json.js';
import type { CallAccess } from './permissions.js';

/** Ordered from harmless to severe. */
export const effects = ['none', 'read', 'write', 'destructive'] as const;

/**
 * What a call can do. `none`: it only computes. `read`: it reads user data. `write`: it changes something.
 * `destructive`: it cannot be undone.
 */
export type Effect = (typeof effects)[number];

/** Hints for clients, with the member names of MCP. A hint never relaxes a check. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A sample call from the manifest. */
export interface ToolExample {
  readonly description: string;
  readonly input?: Json;
  readonly output?: Json;
}

/** One function of a package that clients can call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** Every result matches this schema; another result is an error. Absent: any result is valid. */
  readonly output?: JsonSchema;
  /** What results look like, for readers. A result that differs is kept, with a warning. */
  readonly describedOutput?: JsonSchema;
  readonly annotations: Annotations;
  readonly effect: Effect;
  /** False when the manifest declares no effect. The operator then chooses it when granting. */
  readonly effectDeclared: boolean;
  readonly idempotent: boolean;
  /** True if the manifest itself declares it idempotent. Only then the host may try a call again. */
  readonly idempotentDeclared?: boolean;
  /** Names of inputs that may contain untrusted data. */
  readonly untrustedInputs: readonly string[];
  /** `human`: a person must approve each call. */
  readonly approval: 'none' | 'human';
  /** Resources of the package's permission scopes that this tool uses. Absent: all of them. */
  readonly scopes?: readonly string[];
  /** What its calls may use, if that is less than what the package may use. Absent: the same. */
  readonly access?: CallAccess;
  readonly timeoutSeconds?: number;
  readonly examples: readonly ToolExample[];
  /** A title that is not one of the hints in `annotations`. */
  readonly title?: string;
  /** Images for clients, as MCP has them. */
  readonly icons?: readonly JsonObject[];
  /** How MCP clients may run it, such as `taskSupport`. */
  readonly execution?: JsonObject;
  /** Members for clients that the host passes on without reading them. */
  readonly meta?: JsonObject;
  /** Null: the manifest does not bind the tool to a program. It is displayed but cannot be called. */
  readonly action: Action | null;
}
