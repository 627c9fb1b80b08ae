import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, type Json } from '../../model/json.js';

/** What a state is bound to while the client carries it around. */
interface Bound {
  readonly holder: string;
  readonly principal: string;
  /** The tool and the digest of the arguments as the client sent them. */
  readonly tool: string;
  readonly arguments: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A call that waits for somebody to agree. Nothing of it runs. */
export interface HeldState extends Bound {
  readonly kind: 'held';
  /** The held call as the host stored it. */
  readonly approval: string;
  /** The call further down is the held one: after the decision the whole call is made again. */
  readonly again: boolean;
}

/** A call that is under way and waits for what its tool asked. */
export interface AskedState extends Bound {
  readonly kind: 'asked';
  readonly question: string;
}

export type CarriedState = HeldState | AskedState;

export interface Signer {
  seal(state: CarriedState): string;
  /**
   * Undefined for what was tampered with, has run out, was used, was not made here, or does not fit. Looking uses nothing
   * up: a stranger who got hold of a state cannot spoil it.
   */
  look(sealed: string, fits: (state: CarriedState) => boolean): Sealed | undefined;
}

/** A state that was found good. */
export interface Sealed {
  readonly state: CarriedState;
  /** From now on it is not good any more. */
  use(): void;
}

export interface SignerOptions {
  readonly now: () => number;
  /** 32 bytes; of this process alone unless told. */
  readonly key?: Uint8Array;
}

/** States of one client that are out at the same time. An older one is forgotten, and with that refused. */
const maxOut = 128;
/** Clients that have some; beyond that, the one that was first to have any is forgotten. */
const maxHolders = 2048;
const maxSealed = 4096;

/** Signed, not encrypted: the client can read it, so there is nothing secret in it. */
export function createSigner({ now, key = randomBytes(32) }: SignerOptions): Signer {
  /** By client, so that none pushes out those of others: when each of its states runs out. */
  const out = new Map<string, Map<string, number>>();
  const tagOf = (body: string) => createHmac('sha256', key).update(`toolwharf.held.1:${body}`).digest();
  const roomFor = (holder: string): Map<string, number> => {
    const known = out.get(holder);
    if (known === undefined) makeRoom(out, now());
    const own = known ?? new Map<string, number>();
    out.set(holder, own);
    expire(own, now());
    for (const nonce of own.keys()) {
      if (own.size < maxOut) break;
      own.delete(nonce);
    }
    return own;
  };
  return {
    seal(state) {
      const own = roomFor(state.holder);
      const nonce = randomBytes(16).toString('base64url');
      own.set(nonce, state.expiresAt);
      const body = Buffer.from(JSON.stringify({ ...state, nonce })).toString('base64url');
      return `${body}.${tagOf(body).toString('base64url')}`;
    },
    look(sealed, fits) {
      if (sealed.length > maxSealed) return undefined;
      const [body = '', tag = '', ...more] = sealed.split('.');
      const given = Buffer.from(tag, 'base64url');
      const right = tagOf(body);
      // The tag is compared as text too: base64 has several spellings of the same bytes.
      if (more.length > 0 || given.length !== right.length || !timingSafeEqual(given, right))
        return undefined;
      if (tag !== right.toString('base64url')) return undefined;
      const read = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Json;
      if (!isObject(read) || typeof read.nonce !== 'string') return undefined;
      const { nonce } = read;
      const state = read as unknown as CarriedState;
      const own = out.get(state.holder);
      if (own?.has(nonce) !== true || state.expiresAt <= now() || !fits(state)) return undefined;
      return { state, use: () => void own.delete(nonce) };
    },
  };
}

function expire(states: Map<string, number>, now: number): void {
  for (const [nonce, expiresAt] of states) if (expiresAt <= now) states.delete(nonce);
}

/** For one more client: those go that wait for nothing any more, and if there are none, the first. */
function makeRoom(out: Map<string, Map<string, number>>, now: number): void {
  if (out.size < maxHolders) return;
  for (const [holder, states] of out) {
    expire(states, now);
    if (states.size === 0) out.delete(holder);
  }
  for (const holder of out.keys()) {
    if (out.size < maxHolders) break;
    out.delete(holder);
  }
}
