import type { JsonObject } from '../../model/json.js';
import type { CallLeaf } from './call-leaf.js';
import type { Endorsements } from './endorsements.js';
import type { TaintLabel } from './taint-label.js';
import type { TaintLevel, ToolLabels } from './tool-labels.js';
import type { ValueIndex } from './value-index.js';

/** A call as the judge sees it. */
export interface TaintCall {
  readonly package: string;
  readonly tool: string;
  readonly callId: string;
  readonly labels: ToolLabels;
  readonly input: JsonObject;
}

/** An act that waits for a code. */
export interface PendingCode {
  readonly package: string;
  /** Number of the call whose result asked for the code. */
  readonly call: number;
}

/** Everything that a judgment depends on, beside the call. */
export interface JudgeState {
  readonly label: TaintLabel;
  /** Whether results were shown that are values of the user's own account. They can leave the label clean. */
  readonly hasOwnValues: boolean;
  readonly index: ValueIndex;
  readonly endorsements: Endorsements;
  readonly pendingCodes: readonly PendingCode[];
  /** By number of a call: the texts of its arguments. */
  readonly callTexts: ReadonlyMap<number, readonly string[]>;
}

/** A call with what was computed about it once. */
export interface JudgedCall extends TaintCall {
  readonly leaves: readonly CallLeaf[];
  readonly level: TaintLevel;
}

/** Member by member: it is made for each call, and a spread with new members is slow. */
export function judgedCallOf(
  { package: pkg, tool, callId, labels, input }: TaintCall,
  leaves: readonly CallLeaf[],
  level: TaintLevel,
): JudgedCall {
  return { package: pkg, tool, callId, labels, input, leaves, level };
}
