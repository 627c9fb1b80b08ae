import type { Json } from './json.js';
import type { RuleOrigin } from './rule.js';

/** What kind of setting a waiver is. */
export type WaiverKind =
  | 'rule'
  | 'grant'
  | 'trusted'
  | 'no-guesses'
  | 'scan-exempt'
  | 'limit'
  | 'nats'
  | 'broker'
  | 'ca'
  | 'notify'
  | 'server-request'
  | 'taint'
  | 'durability'
  | 'quarantine'
  | 'expired-registry';

/** A part of a session's settings that removes a question or a protection, or lets tools do more. */
export interface Waiver {
  /** SHA-256 of the kind and the content. It does not depend on the file, the position or the order of keys. */
  readonly id: string;
  readonly kind: WaiverKind;
  /** The setting itself, such as a rule without its origin. */
  readonly content: Json;
  /** What it does, for people. */
  readonly text: string;
  /** Where a rule is written; null for other settings. */
  readonly origin: RuleOrigin | null;
}
