import type { Json } from './json.js';

/**
 * The state of a held call: proposed → approved | denied | expired; approved → executing → executed. A call that stays
 * `executing` has an unknown outcome and never runs again. `void`: something that the decision depends on has changed.
 */
export type ApprovalState =
  | 'proposed'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'void'
  | 'executing'
  | 'executed';

/** Everything that an approval is bound to. If any member differs, the approval does not apply. */
export interface ApprovalBinding {
  readonly principal: string;
  /** Which client of the principal; empty if all its sessions are one client. */
  readonly client: string;
  /** `package/tool`. */
  readonly tool: string;
  /** Digest of the package as it was when the person decided. */
  readonly definition: string;
  /** Digest of the arguments, the workspace and the grants. */
  readonly argumentsDigest: string;
  /** Digest of the operator's policy. */
  readonly policy: string;
  /** Digest of which slots have a value, and who may receive it. */
  readonly credentials: string;
}

/** One fact about a call that helps a person decide. */
export interface Evidence {
  readonly kind: 'effect' | 'destination' | 'amount' | 'address' | 'workspace' | 'grant' | 'fixed' | 'taint';
  readonly text: string;
  /** JSON pointer to the argument that the fact was taken from, if any. */
  readonly at?: string;
}

/**
 * How an actor reached the host. `client`: a person who was asked through their MCP client. `page`: somebody who opened the
 * link to a held call. `console`: a browser that a link signed in to the console.
 */
export type Channel = 'library' | 'terminal' | 'api' | 'client' | 'page' | 'console';

/** Who approved or denied a held call, how and when. */
export interface ApprovalDecision {
  readonly by: string;
  readonly channel: Channel;
  /** Whether the operator's PIN was entered. */
  readonly verified: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the evidence of a destructive tool says. */
export const destructiveText = 'it cannot be undone';

/** A held call, waiting for a decision or decided. */
export interface ApprovalRequest extends ApprovalBinding {
  readonly id: string;
  readonly session: string;
  readonly arguments: Json;
  /** The arguments that run instead, because the person who approved it wrote them. Null: those above. */
  readonly replacement: Json | null;
  readonly kind: string;
  readonly reasons: readonly string[];
  readonly evidence: readonly Evidence[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly decision: ApprovalDecision | null;
  /** What changed, if the state is `void`. */
  readonly voidReason: string | null;
  readonly answer: Json | null;
}

/** Whether the effect of a held call cannot be undone, for whichever reason it is held. */
export function isDestructive({ kind, evidence }: Pick<ApprovalRequest, 'kind' | 'evidence'>): boolean {
  return kind === 'destructive' || evidence.some((it) => it.kind === 'effect' && it.text === destructiveText);
}

/** Characters of what a person says that they asked for. */
export const maxAsked = 4000;

/** Whether a call is held for what its session has seen. The person who decides may then say what they asked for. */
export function isHeldForTaint({ evidence }: Pick<ApprovalRequest, 'evidence'>): boolean {
  return evidence.some((it) => it.kind === 'taint');
}
