import { randomBytes } from 'node:crypto';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { hashPin, pinProblem, verifyPin } from '../../secrets/pin.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { OperatorPin, PinPlace } from '../../store/operator-pin.js';
import { createQueue } from '../queue.js';
import type { Actor, Operator, OperatorAuth, VerifiedActor } from './operator-auth.js';

export interface PinAuthOptions {
  readonly pin: OperatorPin;
  readonly audit: AuditLog;
  readonly now: () => number;
  /** Called when a PIN was set or removed. */
  readonly onPinChange: (isSet: boolean) => void;
}

const signInMs = 15 * 60_000;
const maxSignIns = 64;

export function openPinAuth({ pin: store, audit, now, onPinChange }: PinAuthOptions): OperatorAuth {
  const signIns = new Map<string, { readonly name: string; readonly expiresAt: number }>();
  // Serialized: a correct PIN resets the failure count before the next attempt is counted.
  const serialize = createQueue(1);

  const isSignedIn = (token: string, name: string): boolean => {
    const signIn = signIns.get(tokenDigest(token));
    return signIn !== undefined && signIn.name === name && signIn.expiresAt > now();
  };

  const checkPin = (pin: string, who: VerifiedActor, operation: string): Promise<VerifiedActor> =>
    serialize(async () => {
      const place = who.channel === 'page' ? 'page' : 'elsewhere';
      const attempt = await store.reserve(place);
      if (attempt.kind === 'unset') return { ...who, verified: false };
      if (attempt.kind === 'wait') throw tooManyAttempts(attempt.until, place);
      // A text that cannot be a PIN is wrong without hashing it.
      if (pinProblem(pin) === undefined && (await verifyPin(pin, attempt.pin))) {
        await store.resetFailures();
        return { ...who, verified: true };
      }
      const { failures, until } = attempt;
      await audit.append({
        kind: 'operator',
        body: { operation: 'wrong PIN', for: operation, failures, ...who },
      });
      throw new HostError('pin_required', 'the PIN is wrong', {
        hint:
          until === undefined
            ? `nothing was changed; after ${failures === 4 ? 'one more wrong PIN' : 'some more wrong PINs'} every attempt is delayed`
            : `nothing was changed; the next attempt is possible at ${isoTime(until)}`,
      });
    });

  const verify = async (actor: Actor, operation: string): Promise<VerifiedActor> => {
    const { name, channel, pin, signIn } = typeof actor === 'string' ? unprovenOperator(actor) : actor;
    const who = { by: name, channel, verified: false };
    if (signIn !== undefined && isSignedIn(signIn, name)) return { ...who, verified: true };
    if (pin !== undefined) return checkPin(pin, who, operation);
    if ((await store.get()) === undefined) return who;
    throw new HostError('pin_required', `the operator's PIN is needed to ${operation}`, {
      hint:
        signIn === undefined
          ? 'a terminal asks for it; otherwise use --pin-file FILE, or sign in: POST /api/v1/operator/sign-in'
          : 'the sign-in has expired; sign in again: POST /api/v1/operator/sign-in',
    });
  };

  return {
    async pin() {
      const row = await store.get();
      if (row === undefined) return { set: false, failures: 0, waitUntil: null };
      return { set: true, failures: row.failures, waitUntil: store.waitUntil(row) ?? null };
    },
    async setPin(pin, actor) {
      const problem = pinProblem(pin);
      if (problem !== undefined)
        throw new HostError('invalid_input', `this text cannot be a PIN: ${problem}`, {
          hint: 'choose another; a few words without spaces are easy to remember and hard to guess',
        });
      const first = (await store.get()) === undefined;
      const who = await verify(actor, 'change the PIN');
      const sealed = await hashPin(pin);
      await audit.append({ kind: 'operator', body: { operation: first ? 'pin set' : 'pin change', ...who } });
      await store.put(sealed);
      onPinChange(true);
      signIns.clear();
    },
    async removePin(actor) {
      if ((await store.get()) === undefined) return false;
      const who = await verify(actor, 'remove the PIN');
      await audit.append({ kind: 'operator', body: { operation: 'pin remove', ...who } });
      await store.remove();
      onPinChange(false);
      signIns.clear();
      return true;
    },
    async signIn(operator) {
      if ((await store.get()) === undefined)
        throw new HostError('needs_setup', 'no PIN is set, so nobody can sign in', {
          hint: 'set one first: toolwharf pin set',
        });
      if (operator.pin === undefined) throw new HostError('pin_required', 'the PIN is needed to sign in');
      const who = await verify(
        { name: operator.name, channel: operator.channel, pin: operator.pin },
        'sign in',
      );
      for (const [digest, it] of signIns) if (it.expiresAt <= now()) signIns.delete(digest);
      for (const digest of signIns.keys()) {
        if (signIns.size < maxSignIns) break;
        signIns.delete(digest);
      }
      const token = `tws_${randomBytes(32).toString('base64url')}`;
      const expiresAt = now() + signInMs;
      await audit.append({
        kind: 'operator',
        body: { operation: 'sign in', until: isoTime(expiresAt), ...who },
      });
      signIns.set(tokenDigest(token), { name: operator.name, expiresAt });
      return { token, expiresAt };
    },
    signOut: async (token) => signIns.delete(tokenDigest(token)),
    verify,
  };
}

/** The name of an actor, for operations that need no proof. */
export function actorName(actor: Actor): string {
  return typeof actor === 'string' ? actor : actor.name;
}

function unprovenOperator(name: string): Operator {
  return { name, channel: 'library' };
}

function tooManyAttempts(until: number, place: PinPlace): HostError {
  if (place === 'page')
    return new HostError('rate_limited', 'too many wrong PINs on pages of held calls', {
      hint: `no PIN is accepted on these pages before ${isoTime(until)}; approve at the terminal`,
    });
  return new HostError('rate_limited', 'too many wrong PINs', {
    hint: `no PIN is accepted before ${isoTime(until)}; denying a call needs no PIN`,
  });
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function tokenDigest(token: string): string {
  return sha256(token);
}
