// The operations on sign-ins to servers of packages. host.ts exports all of these types.
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { Actor } from '../operator/operator-auth.js';

/** Signs people in to MCP servers that ask for it, with OAuth 2.1. The tokens never leave the host. */
export interface ServerSignIns {
  /** All sign-ins, sorted by package, without tokens. */
  list(): Promise<readonly ServerSignIn[]>;
  /**
   * Asks a server where to sign in. With `issuer`, which a person agreed to, the authorization server is asked too: then
   * `places` has everything that the host would send requests to, and `browserPlace` where the browser would go.
   */
  check(request: SignInCheck): Promise<SignInOffer>;
  /** Begins a sign-in: returns the address that a person opens in a browser. */
  begin(request: SignInBegin): Promise<SignInStart>;
  /** Ends a sign-in with the address that the browser was sent to. It works once. */
  finish(request: SignInFinish): Promise<ServerSignIn>;
  /** Revokes the tokens at the authorization server, if it can, and erases them. */
  signOut(request: SignOutRequest): Promise<SignOutResult>;
}

export interface SignInCheck {
  readonly package: string;
  /** Name of the program that is the server. Default: the only one, or the one that asks for a sign-in. */
  readonly program?: string | undefined;
  /** The authorization server that a person agreed to. */
  readonly issuer?: string | undefined;
  /** Scopes to request besides those of an earlier sign-in. Default: those that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  readonly signal?: CancelSignal | undefined;
}

/** What a server asks for. */
export interface SignInOffer {
  readonly package: string;
  readonly program: string;
  /** URL of the server. */
  readonly url: string;
  /** Its authorization servers. */
  readonly issuers: readonly string[];
  /** The scopes that would be requested. Only with `issuer` they are all. */
  readonly scopes: readonly string[];
  /** With `issuer`: the places that the host would send requests to, as `host:port`. Its own is the first. */
  readonly places?: readonly string[] | undefined;
  /** With `issuer`: where the browser would be sent, as `host:port`. It may be a place that the issuer does not own. */
  readonly browserPlace?: string | undefined;
}

export interface SignInBegin extends Omit<SignInCheck, 'scopes'> {
  readonly issuer: string;
  /** Other places of the authorization server that a person agreed to, as `host:port`. */
  readonly places?: readonly string[] | undefined;
  /** Where a person agreed that the browser goes, as `host:port`. Default: only to the place of the issuer. */
  readonly browserPlace?: string | undefined;
  /** The scopes that a person agreed to: exactly these are requested. Default: what `check` would return now. */
  readonly scopes?: readonly string[] | undefined;
  /** `http://127.0.0.1:PORT/callback`: where the surface waits for the browser. */
  readonly redirectUri: string;
  readonly by: Actor;
}

export interface SignInStart {
  readonly id: string;
  /** The address to open in a browser. */
  readonly url: string;
  readonly scopes: readonly string[];
  /** Until when it can be finished; milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface SignInFinish {
  readonly id: string;
  /** The whole address that the browser was sent to. */
  readonly callback: string;
  readonly signal?: CancelSignal | undefined;
}

/** A sign-in without its tokens. */
export interface ServerSignIn {
  readonly package: string;
  readonly program: string;
  readonly url: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly signedInAt: number;
  /** When the access token expires; absent if the server did not say. */
  readonly expiresAt?: number | undefined;
  /** Whether the host gets new tokens without a person. */
  readonly isRenewed: boolean;
}

export interface SignOutRequest {
  readonly package: string;
  /** Default: all its servers. */
  readonly program?: string | undefined;
  readonly by: Actor;
  readonly signal?: CancelSignal | undefined;
}

export interface SignOutResult {
  readonly package: string;
  /** The servers that somebody was signed in to. */
  readonly programs: readonly string[];
  /** What is left to do by hand; one sentence each. */
  readonly left: readonly string[];
}
