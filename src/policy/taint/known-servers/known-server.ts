import type { JsonObject } from '../../../model/json.js';
import type { InputRole, ResultKind, TaintEffect, TaintLevel } from '../tool-labels.js';

/** What a reviewer decided about one tool, from its description. The format is that of files of labels. */
export interface KnownTool {
  readonly effects: readonly TaintEffect[];
  /** Default: true. */
  readonly network?: boolean;
  readonly inputs?: Readonly<Record<string, InputRole>>;
  /** Default: `third-party`. */
  readonly returns?: ResultKind;
  readonly level?: TaintLevel;
  /** It computes or says what the machine knows: no text of others is in its results. */
  readonly pure?: boolean;
  /** Words of the description that the decision rests on. */
  readonly reason: string;
}

/** The reviewed tools of one server that many people use. */
export interface KnownServer {
  /** Names of the packages that contain it. */
  readonly npm?: readonly string[];
  readonly pypi?: readonly string[];
  /** Hosts that serve it. */
  readonly hosts?: readonly string[];
  readonly tools: Readonly<Record<string, KnownTool>>;
}

type Inputs = NonNullable<KnownTool['inputs']>;

/** It reads where the server always reads: what is asked for does not leave to anybody else. */
export function reads(reason: string, inputs: Inputs = {}): KnownTool {
  return { effects: ['read'], inputs, reason };
}

/** It asks a service of the whole web. The question leaves, so it is looked at. */
export function looksUp(reason: string, inputs: Inputs): KnownTool {
  return { effects: ['read', 'send'], inputs, reason };
}

/** It opens a page whose address the caller chooses. */
export function visits(reason: string, inputs: Inputs): KnownTool {
  return { effects: ['read', 'send'], inputs, level: 'visit', reason };
}

/** It changes something that others see, or sends it. */
export function sends(reason: string, inputs: Inputs, more: Partial<KnownTool> = {}): KnownTool {
  return { effects: ['write', 'send'], inputs, returns: 'status', reason, ...more };
}

/** It changes local data of the server only. */
export function keeps(reason: string, inputs: Inputs = {}): KnownTool {
  return { effects: ['read', 'write'], network: false, inputs, reason };
}

/** It removes something. */
export function removes(reason: string, inputs: Inputs, network = true): KnownTool {
  return { effects: ['write', 'destructive'], network, inputs, returns: 'status', reason };
}

/** The tools as a document of labels. */
export function labelDocumentOf({ tools }: KnownServer): JsonObject {
  return { tools } as unknown as JsonObject;
}
