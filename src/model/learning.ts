import type { FilesystemAccess } from './permissions.js';

/** What the calls of a package used, as the audit log says. */
export interface ObservedUses {
  /** Time of the first and the last call; milliseconds since 1970. Null: there was none. */
  readonly from: number | null;
  readonly to: number | null;
  /** Calls that ran, by tool. */
  readonly calls: Readonly<Record<string, number>>;
  /** `host:port` each. */
  readonly hosts: readonly string[];
  readonly deniedHosts: readonly string[];
  /** Successful calls whose hosts are not known, or not all of them. */
  readonly unknownHosts: number;
  /** Folders of the workspace in which something changed during calls. */
  readonly changed: readonly string[];
  /** Successful calls for which nobody watched the files. */
  readonly unknownFiles: number;
}

/** The smallest grant that would have been enough for what was observed (`learn@1`). */
export interface LearnProposal {
  readonly package: string;
  readonly version: string;
  /** The time that was looked at, with the number of calls in it. */
  readonly observed: { readonly since: number; readonly until: number; readonly calls: number };
  readonly tools: {
    readonly called: Readonly<Record<string, number>>;
    readonly never: readonly string[];
  };
  /** What it may use now, as the manifest says and the operator narrowed it. */
  readonly current: LearnedAccess;
  readonly used: {
    readonly hosts: readonly string[];
    /** Null: not known. */
    readonly changed: readonly string[] | null;
  };
  /** What it would be narrowed to. */
  readonly proposed: LearnedAccess;
  /** What it would lose, in the syntax of `--allow`. Empty: nothing can be narrowed. */
  readonly removes: readonly string[];
  /** What it was denied, in the syntax of `--allow`. Never added by itself. */
  readonly missing: readonly string[];
  /** What cannot be observed, and therefore stays. */
  readonly unobserved: readonly string[];
  readonly warnings: readonly string[];
  /** What applying it stores. */
  readonly narrowing: { readonly network: readonly string[] | null; readonly noWriting: boolean };
}

export interface LearnedAccess {
  /** `public`, or hosts. Empty: none. */
  readonly network: readonly string[];
  readonly filesystem: FilesystemAccess;
}
