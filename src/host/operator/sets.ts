// The operations on sets. host.ts exports all of them.
import type { SetBinding, SetSubjectKind, ToolSet, ToolSetEntry } from '../../model/tool-set.js';
import type { Actor } from './operator-auth.js';

/** Named choices of packages and tools, and who uses them. */
export interface SetOperations {
  /** All sets by name, with the callers that use them. */
  list(): Promise<readonly ToolSetEntry[]>;
  /** Checks a set without storing it. Throws what is wrong with it; returns the remarks of `save`. */
  check(set: ToolSet): Promise<readonly string[]>;
  /** Stores a set; replaces the one with the same name. */
  save(set: ToolSet, actor: Actor): Promise<SavedToolSet>;
  /** False if there is no such set. Fails if somebody uses it. */
  remove(name: string, actor: Actor): Promise<boolean>;
  /** Binds a set to callers, in place of an earlier one. */
  bind(binding: SetBindingInput): Promise<SetBinding>;
  /** Ends a binding. False if there is none. */
  unbind(binding: SetSubjectInput): Promise<boolean>;
}

/** The result of saving a set. */
export interface SavedToolSet {
  readonly entry: ToolSetEntry;
  /** What could not be checked here, or has no effect here. */
  readonly remarks: readonly string[];
}

/** Callers whose binding ends. */
export interface SetSubjectInput {
  readonly kind: SetSubjectKind;
  /** The name or id of a token or key, a principal, or an absolute path. Absent for `everyone`. */
  readonly name?: string | undefined;
  readonly by: Actor;
}

/** A set and the callers that it is for. */
export interface SetBindingInput extends SetSubjectInput {
  readonly set: string;
}
