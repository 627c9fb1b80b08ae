import type { Endorsement } from './endorsements.js';
import type { Provenance } from './taint-label.js';
import type { TaintLevel } from './tool-labels.js';

/** `standard` is meant to be lived with, `strict` asks for every value, `observe` only reports, `off` does nothing. */
export type TaintMode = 'standard' | 'strict' | 'observe' | 'off';

/** Why a call is held. docs/design/taint.md explains each. */
export type TaintRule =
  | 'destination'
  | 'identifier'
  | 'control'
  | 'amount'
  | 'content'
  | 'private'
  | 'code'
  | 'destructive'
  | 'path'
  | 'tainted'
  | 'outside';

/** One value for which nobody vouched. */
export interface TaintFinding {
  readonly rule: TaintRule;
  /** JSON Pointer in the arguments; empty if it is about the call itself. */
  readonly pointer: string;
  /** The value; for the person only. */
  readonly value: string;
  /** Where the value was seen; undefined if it was not found, or if the index is incomplete. */
  readonly source: Provenance | undefined;
  /** Text around it, for the person only. */
  readonly quote: string | undefined;
  /** A sentence for the person who decides. */
  readonly forPerson: string;
  /** A sentence for the agent. It depends on no value that the session was shown. */
  readonly forAgent: string;
  /** What an approval of the call endorses. */
  readonly endorses: readonly Endorsement[];
}

/** A call that waits for a person. */
export interface TaintHold {
  readonly level: TaintLevel;
  /** At least one. */
  readonly findings: readonly TaintFinding[];
}

/** The judgment on one call. In mode `observe`, an allowed call says why it would have been held. */
export type TaintVerdict =
  | { readonly kind: 'allow'; readonly wouldHold: TaintHold | undefined }
  | { readonly kind: 'hold'; readonly hold: TaintHold };
