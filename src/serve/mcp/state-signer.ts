import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, type Json } from '../../model/json.js';

/** What a request state is bound to. */
interface StateBinding {
  readonly holder: string;
  readonly principal: string;
  /** The tool, and the digest of the arguments as the client sent them. */
  readonly tool: string;
  readonly arguments: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A held call that waits for approval. It has not started. */
export interface HeldState extends StateBinding {
  readonly kind: 'held';
  /** Id of the held call. */
  readonly approval: string;
  /** The held call is one that the tool makes itself. After the decision the outer call is made again. */
  readonly isInnerCall: boolean;
  /** `form`: the answer of the client decides. `page`: it does not; the user decides on the page of the call. */
  readonly way: 'form' | 'page';
}

/** A running call that waits for the answer to its tool's question. */
export interface AskedState extends StateBinding {
  readonly kind: 'asked';
  readonly question: string;
}

export type RequestState = HeldState | AskedState;

export interface StateSigner {
  sign(state: RequestState): string;
  /**
   * Undefined if the state was changed, has expired, was used, was not signed here, or does not match. Opening does not use
   * the state up, so that somebody else who got hold of it cannot invalidate it.
   */
  open(signed: string, matches: (state: RequestState) => boolean): OpenedState | undefined;
}

/** A valid state. */
export interface OpenedState {
  readonly state: RequestState;
  /** Marks the state as used. It is not valid anymore. */
  use(): void;
}

export interface StateSignerOptions {
  readonly now: () => number;
  /** 32 bytes. Default: a random key for this process. */
  readonly key?: Uint8Array;
}

/** Open states per holder. Beyond it the oldest one becomes invalid. */
const maxStates = 128;
/** Holders with open states. Beyond it the states of the oldest holder become invalid. */
const maxHolders = 2048;
const maxSignedLength = 4096;

/** States are signed, not encrypted: the client can read them, so they contain no secrets. */
export function createStateSigner({ now, key = randomBytes(32) }: StateSignerOptions): StateSigner {
  /** Expiry time of each open state, by holder. Per holder, so that none can displace the states of another. */
  const openStates = new Map<string, Map<string, number>>();
  const tagOf = (body: string) => createHmac('sha256', key).update(`toolwharf.held.1:${body}`).digest();
  const statesOf = (holder: string): Map<string, number> => {
    const known = openStates.get(holder);
    if (known === undefined) makeRoom(openStates, now());
    const own = known ?? new Map<string, number>();
    openStates.set(holder, own);
    expire(own, now());
    for (const nonce of own.keys()) {
      if (own.size < maxStates) break;
      own.delete(nonce);
    }
    return own;
  };
  return {
    sign(state) {
      const own = statesOf(state.holder);
      const nonce = randomBytes(16).toString('base64url');
      own.set(nonce, state.expiresAt);
      const body = Buffer.from(JSON.stringify({ ...state, nonce })).toString('base64url');
      return `${body}.${tagOf(body).toString('base64url')}`;
    },
    open(signed, matches) {
      if (signed.length > maxSignedLength) return undefined;
      const [body = '', tag = '', ...more] = signed.split('.');
      const actual = Buffer.from(tag, 'base64url');
      const expected = tagOf(body);
      // The tag is compared as text too, because base64 has several forms for the same bytes.
      if (more.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected))
        return undefined;
      if (tag !== expected.toString('base64url')) return undefined;
      const parsed = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Json;
      if (!isObject(parsed) || typeof parsed.nonce !== 'string') return undefined;
      const { nonce } = parsed;
      const state = parsed as unknown as RequestState;
      const own = openStates.get(state.holder);
      if (own?.has(nonce) !== true || state.expiresAt <= now() || !matches(state)) return undefined;
      return { state, use: () => void own.delete(nonce) };
    },
  };
}

function expire(states: Map<string, number>, now: number): void {
  for (const [nonce, expiresAt] of states) if (expiresAt <= now) states.delete(nonce);
}

/** Makes room for one more holder: removes holders without open states, else the oldest holder. */
function makeRoom(openStates: Map<string, Map<string, number>>, now: number): void {
  if (openStates.size < maxHolders) return;
  for (const [holder, states] of openStates) {
    expire(states, now);
    if (states.size === 0) openStates.delete(holder);
  }
  for (const holder of openStates.keys()) {
    if (openStates.size < maxHolders) break;
    openStates.delete(holder);
  }
}
