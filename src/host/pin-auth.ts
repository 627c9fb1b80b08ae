import { createHash, randomBytes } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { isPin, pinProblem, sealPin } from '../secrets/pin.js';
import type { AuditLog } from '../store/audit.js';
import type { OperatorPin } from '../store/operator-pin.js';
import type { Actor, Operator, OperatorAuth, VerifiedActor } from './operator-auth.js';
import { queueOf } from './queue.js';

export interface PinAuthOptions {
  readonly pin: OperatorPin;
  readonly audit: AuditLog;
  readonly now: () => number;
}

/** The one act that a person may do by answering a question of their client. */
export const approveOperation = 'approve';

const signInMs = 15 * 60_000;
const maxSignIns = 64;

export function openPinAuth({ pin: kept, audit, now }: PinAuthOptions): OperatorAuth {
  const signIns = new Map<string, { readonly name: string; readonly expiresAt: number }>();
  // One after the other: a right one is forgiven before the next is counted.
  const inTurn = queueOf(1);

  const isSignedIn = (token: string, name: string): boolean => {
    const found = signIns.get(digestOf(token));
    return found !== undefined && found.name === name && found.expiresAt > now();
  };

  const show = (pin: string, who: VerifiedActor, act: string): Promise<VerifiedActor> =>
    inTurn(async () => {
      const leave = await kept.reserve();
      if (leave.kind === 'unset') return { ...who, verified: false };
      if (leave.kind === 'wait') throw waiting(leave.until);
      // What cannot be a PIN is wrong without any work.
      if (pinProblem(pin) === undefined && (await isPin(pin, leave.pin))) {
        await kept.forgive();
        return { ...who, verified: true };
      }
      const { failures } = leave.pin;
      await audit.append({ kind: 'operator', body: { act: 'wrong PIN', for: act, failures, ...who } });
      const until = kept.waitOf(leave.pin) ?? null;
      throw new HostError('pin_required', 'this is not the PIN', {
        hint:
          until === null
            ? `nothing was done; after ${failures === 4 ? 'one more' : 'some more'} wrong ones everybody has to wait`
            : `nothing was done; the next try is possible at ${time(until)}`,
      });
    });

  const verify = async (by: Actor, act: string): Promise<VerifiedActor> => {
    const { name, channel, pin, signIn } = typeof by === 'string' ? bare(by) : by;
    const who = { by: name, channel, verified: false };
    if (channel === 'client' && act === approveOperation) return who;
    if (signIn !== undefined && isSignedIn(signIn, name)) return { ...who, verified: true };
    if (pin !== undefined) return show(pin, who, act);
    if ((await kept.get()) === undefined) return who;
    throw new HostError('pin_required', `to ${act} needs the operator's PIN`, {
      hint:
        signIn === undefined
          ? 'at a terminal you are asked for it; else --pin-file FILE, or sign in: POST /api/v1/operator/sign-in'
          : 'the sign-in has ended; sign in again: POST /api/v1/operator/sign-in',
    });
  };

  return {
    async pin() {
      const row = await kept.get();
      if (row === undefined) return { set: false, failures: 0, waitUntil: null };
      return { set: true, failures: row.failures, waitUntil: kept.waitOf(row) ?? null };
    },
    async setPin(pin, by) {
      const problem = pinProblem(pin);
      if (problem !== undefined)
        throw new HostError('invalid_input', `this cannot be the PIN: ${problem}`, {
          hint: 'choose another; a few words without spaces are easy to keep and hard to guess',
        });
      const first = (await kept.get()) === undefined;
      const who = await verify(by, 'change the PIN');
      const sealed = await sealPin(pin);
      await audit.append({ kind: 'operator', body: { act: first ? 'pin set' : 'pin change', ...who } });
      await kept.put(sealed);
      signIns.clear();
    },
    async removePin(by) {
      if ((await kept.get()) === undefined) return false;
      const who = await verify(by, 'remove the PIN');
      await audit.append({ kind: 'operator', body: { act: 'pin remove', ...who } });
      await kept.remove();
      signIns.clear();
      return true;
    },
    async signIn(by) {
      if ((await kept.get()) === undefined)
        throw new HostError('needs_setup', 'there is no PIN to sign in with', {
          hint: 'set one first: toolwharf pin set',
        });
      if (by.pin === undefined) throw new HostError('pin_required', 'signing in needs the PIN');
      const who = await verify({ name: by.name, channel: by.channel, pin: by.pin }, 'sign in');
      for (const [digest, it] of signIns) if (it.expiresAt <= now()) signIns.delete(digest);
      for (const digest of signIns.keys()) {
        if (signIns.size < maxSignIns) break;
        signIns.delete(digest);
      }
      const token = `tws_${randomBytes(32).toString('base64url')}`;
      const expiresAt = now() + signInMs;
      await audit.append({ kind: 'operator', body: { act: 'sign in', until: time(expiresAt), ...who } });
      signIns.set(digestOf(token), { name: by.name, expiresAt });
      return { token, expiresAt };
    },
    signOut: async (token) => signIns.delete(digestOf(token)),
    verify,
  };
}

/** Who it is, for acts that need no showing. */
export function actorName(by: Actor): string {
  return typeof by === 'string' ? by : by.name;
}

function bare(name: string): Operator {
  return { name, channel: 'library' };
}

function waiting(until: number): HostError {
  return new HostError('rate_limited', 'too many wrong PINs were tried', {
    hint: `no PIN is looked at before ${time(until)}; refusing a call needs none`,
  });
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
