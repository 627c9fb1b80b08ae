import type { JsonObject } from './json.js';

/** What a set changes about one tool. Absent members change nothing. */
export interface ToolView {
  /** True: the tool is not shown and cannot be called. False: it is shown although `PACKAGE/*` is hidden. */
  readonly hidden?: boolean | undefined;
  /** The name for clients. */
  readonly name?: string | undefined;
  /** The description for models. */
  readonly description?: string | undefined;
  /** Arguments that every call gets. Callers do not see these inputs and cannot send them. */
  readonly arguments?: JsonObject | undefined;
}

/**
 * A named choice of packages and tools, as data without secrets. It is made by an operator and bound to callers. It only
 * leaves out, renames, describes and fixes: it grants nothing.
 */
export interface ToolSet {
  readonly name: string;
  /** Only these packages; `*` matches any characters. Absent: all packages. */
  readonly packages?: readonly string[] | undefined;
  /** Only these tools, as `PACKAGE`, `PACKAGE/*` or `PACKAGE/TOOL`. Absent: all tools. */
  readonly only?: readonly string[] | undefined;
  /** By `PACKAGE/TOOL`, or `PACKAGE/*` with nothing but `hidden`. */
  readonly tools: Readonly<Record<string, ToolView>>;
}

/**
 * Who uses a set. `token`: an HTTP client, by the name or id of its token. `client`: a connected client, by the name or
 * id of its key. `principal`: a caller by its principal. `workspace`: sessions in this folder or below it, an absolute
 * path. `everyone`: all sessions that nothing else decides about.
 */
export type SetSubjectKind = 'token' | 'client' | 'principal' | 'workspace' | 'everyone';

/** A set with the callers that use it. */
export interface SetBinding {
  readonly kind: SetSubjectKind;
  /** As the operator wrote it: a token name, a principal or a path. Empty for `everyone`. */
  readonly name: string;
  /** The principal or path that it means. Empty for `everyone`. */
  readonly subject: string;
  readonly set: string;
}

/** A stored set. */
export interface ToolSetEntry {
  readonly name: string;
  /** SHA-256 of the set. */
  readonly digest: string;
  /** Null if the stored set cannot be read. Sessions with it have no tools. */
  readonly set: ToolSet | null;
  readonly bindings: readonly SetBinding[];
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  readonly savedBy: string;
}

/** Separates the digest of a tool from the digest of what a set changes about it. */
const viewMark = '.';

/** The digest that approvals are bound to. `view`: of what a set changes about the tool; null if nothing. */
export function definitionWithView(definition: string, view: string | null): string {
  return view === null ? definition : `${definition}${viewMark}${view}`;
}

/** The opposite: the digest of the tool itself, and of what a set changes about it. */
export function splitDefinition(definition: string): readonly [definition: string, view: string | null] {
  const at = definition.indexOf(viewMark);
  return at === -1 ? [definition, null] : [definition.slice(0, at), definition.slice(at + 1)];
}
