import type { Action } from './action.js';
import type { Json, JsonObject, JsonSchema } from './json.js';

/** From the lightest to the gravest. */
export const effects = ['none', 'read', 'write', 'destructive'] as const;

/** `none`: pure compute. `read`: looks at user data. `write`: changes something. `destructive`: cannot be undone. */
export type Effect = (typeof effects)[number];

/** Hints for clients, as MCP spells them. They never loosen anything. */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ToolExample {
  readonly description: string;
  readonly input?: Json;
  readonly output?: Json;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** Absent: any answer. */
  readonly output?: JsonSchema;
  readonly annotations: Annotations;
  readonly effect: Effect;
  /** False where the author said nothing of effects and the operator chooses at grant. */
  readonly effectDeclared: boolean;
  readonly idempotent: boolean;
  /** Inputs through which untrusted data may come. */
  readonly untrustedInputs: readonly string[];
  /** `human`: each call waits for a person. */
  readonly approval: 'none' | 'human';
  /** Resources of the package's scopes that this tool uses; undefined means all of them. */
  readonly scopes?: readonly string[];
  readonly timeoutSeconds?: number;
  readonly examples: readonly ToolExample[];
  /** Members for clients that this host passes on unread. */
  readonly meta?: JsonObject;
  /** Null is an unbound tool: shown, not served. */
  readonly action: Action | null;
}
