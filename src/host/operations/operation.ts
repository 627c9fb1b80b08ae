import type { CancelSignal } from '../../model/cancel-signal.js';
import type { Actor, ChangeProgress, TokenRole } from '../host.js';
import type { Shape } from './shape.js';

/** How one parameter of an operation gets its value. */
export interface Param<T> {
  /**
   * `value`: a member of the input. `members`: an object whose members are the input; its `by` is the actor and its
   * `signal` the cancel signal. `actor`, `actor-name`: who performs the operation. `signal`: cancels it.
   */
  readonly kind: 'value' | 'members' | 'actor' | 'actor-name' | 'signal';
  /** The operation needs to know who performs it. */
  readonly needsActor?: boolean;
  /** The name of a `value`; empty for other kinds. */
  readonly name: string;
  readonly shape: Shape<unknown> | null;
  /** Never set; carries the type. */
  readonly type?: T;
}

export interface OperationText {
  readonly summary: string;
  /** Who may perform it over HTTP. */
  readonly role: TokenRole;
  /** `if-set`: once a PIN is set, the operator must prove to know it. Default: `never`. */
  readonly pin?: 'never' | 'if-set';
  /** It calls `onProgress` when a step starts, also over the socket and HTTP. Default: false. */
  readonly progress?: boolean;
}

/** One operation of a host or session, for every surface. `A`: the parameters of its method. */
export interface Operation<A extends readonly unknown[] = readonly never[]> extends OperationText {
  readonly params: { readonly [I in keyof A]-?: Param<A[I]> };
  readonly result: Shape<unknown>;
}

/** An operation for every asynchronous method of an interface, in the same structure. Incomplete ones do not compile. */
export type OperationTree<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<unknown>
    ? Operation<A> & ProgressText<A[number]>
    : OperationTree<T[K]>;
};

/** A method that takes `onProgress` calls it from other processes too. */
type ProgressText<P> = [TakesProgress<P>] extends [never] ? unknown : { readonly progress: true };

type TakesProgress<P> = P extends unknown
  ? string extends keyof P
    ? never
    : 'onProgress' extends keyof P
      ? P extends { readonly onProgress?: ((progress: ChangeProgress) => void) | undefined }
        ? true
        : never
      : never
  : never;

export function operation<const W extends OperationText, const P extends readonly Param<unknown>[]>(
  words: W,
  params: P,
  result: Shape<unknown>,
): W & { readonly params: P; readonly result: Shape<unknown> } {
  return { ...words, params, result };
}

export function value<T>(name: string, shape: Shape<T>): Param<T> {
  return { kind: 'value', name, shape };
}

/** An object whose members are the input, with the actor as `by`. */
export function membersBy<T>(shape: Shape<T>): Param<T & { readonly by: Actor }> {
  return { kind: 'members', name: '', shape, needsActor: true };
}

/** An object whose members are the input, with an optional signal. */
export function members<T>(shape: Shape<T>): Param<T> {
  return { kind: 'members', name: '', shape };
}

export const actorParam: Param<Actor> = { kind: 'actor', name: '', shape: null, needsActor: true };
/** Default: the principal of the session. */
export const sessionActorParam: Param<Actor> = { kind: 'actor', name: '', shape: null };
export const actorNameParam: Param<string> = { kind: 'actor-name', name: '', shape: null, needsActor: true };
export const signalParam: Param<CancelSignal> = { kind: 'signal', name: '', shape: null };

/** An operation as the tables write it. */
export type OperationNode = Pick<
  NamedOperation,
  'summary' | 'role' | 'pin' | 'progress' | 'params' | 'result'
>;

/** One row of the table, with its name and the object that it belongs to. */
export interface NamedOperation extends OperationText {
  /** Such as `approvals.approve`, or `session.call`. */
  readonly name: string;
  readonly scope: 'host' | 'session';
  /** Where its method is, such as `approvals`, `approve`. */
  readonly path: readonly string[];
  readonly params: readonly Param<unknown>[];
  /** The shape of everything that is sent, as one object. */
  readonly input: Shape<unknown>;
  readonly result: Shape<unknown>;
}
