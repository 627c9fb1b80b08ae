// The options of a session. host.ts exports all of them.
import type { Actor } from './operator/operator-auth.js';
import type { SessionPolicy } from './session-policy.js';

/** What one caller may use: packages, workspace, grants and policy. */
export interface SessionOptions {
  /** Who calls: the user and the program, such as `alice/cli`. Default: `library`. */
  readonly principal?: string;
  /**
   * Names one client among several of the principal. Each has its own processes and held calls, which end with its last
   * session. Limits and kills apply to the principal. Default: all sessions of the principal are one client.
   */
  readonly client?: string;
  /**
   * Names one session of the principal in its workspace: what it has seen lasts under this name, also after a restart. Null:
   * a session of its own, which ends when it is closed. Default: one session for each client of the principal.
   */
  readonly sessionName?: string | null | undefined;
  /** Files and folders with packages. */
  readonly directories: readonly string[];
  /** What the session is for. Only `use` starts programs, mounts folders and stores agreements. Default: `use`. */
  readonly intent?: SessionIntent;
  /**
   * Accepts packages that are found for the first time. Null: they need review. Once a PIN is set, opening a session
   * that would accept something fails with `pin_required` if `by` has no PIN. Default: with the intent `use`, your
   * program is the operator and accepts what is in `directories`; otherwise null.
   */
  readonly accept?: FirstAcceptance | null;
  /** The workspace of the session: an absolute path. Default: the working directory. */
  readonly root?: string;
  /** Grants, in the syntax of `--allow`. Default: none. */
  readonly allow?: readonly string[];
  /** Values of the variables that `allow` grants with `env:NAME`. The host does not read its own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Rules, limits and other settings of the operator. */
  readonly policy?: SessionPolicy;
  /**
   * The set whose tools the session shows. A set that is bound to the caller wins over it. Null: everything, also if a
   * set is loaded. Default: the set that is loaded for the workspace or for everyone; otherwise everything.
   */
  readonly set?: string | null | undefined;
  /**
   * Who opens the session, with the PIN. Needed only for `unsafeNoSandbox` once a PIN is set. Default: the principal,
   * without proof.
   */
  readonly operator?: Actor;
}

/**
 * `look`: shows what is known; nothing runs, is mounted or is stored. `review`: the same, but packages can be accepted.
 * `use`: everything.
 */
export type SessionIntent = 'look' | 'review' | 'use';

/** The agreement of an operator to packages that are found for the first time. */
export interface FirstAcceptance {
  /** Files and folders; new packages in other places still need review. */
  readonly in: readonly string[];
  /** Who accepts them. */
  readonly by: Actor;
}

/** Session options of a surface: who accepts new packages is never left to the default. */
export type ServedSessionOptions = SessionOptions & Required<Pick<SessionOptions, 'accept'>>;
