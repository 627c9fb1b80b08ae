import { hash } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { SlotValue } from '../model/slot.js';
import { type ArgumentSeal, changedSeal } from '../secrets/argument-seal.js';
import type { AuditLog } from '../store/audit.js';
import type { KeptBeside, SealedArgumentRows } from '../store/sealed-arguments.js';
import type { KeptArguments, SealingPolicy } from './host.js';
import type { OperatorAuth } from './operator-auth.js';
import type { IsPublic, Scanner } from './scanner.js';
import { type Passed, passedValues } from './slots.js';

/** How the arguments of a tool are kept, where the operator wants them. */
export interface Keeping {
  readonly policy: SealingPolicy;
  /** Without secrets: what is kept must not be worth more than the vault it is sealed under. */
  form(input: JsonObject): Promise<Json>;
}

/** Values of the vault are known to the scanner; those that came in variables are named here. */
export function keepingOf(
  of: Package,
  policy: SealingPolicy | undefined,
  passed: () => Passed,
  scanner: Scanner,
  isPublic: IsPublic,
): Keeping | null {
  if (policy === undefined) return null;
  return {
    policy,
    async form(input) {
      const values = new Map<string, SlotValue>();
      for (const [name, value] of Object.entries(passedValues(of, passed()))) {
        const secret = of.slots.find((it) => it.name === name)?.secret !== false;
        values.set(name, { value, secret, recipients: { kind: 'nobody' } });
      }
      return (await scanner.forCall(of, values, { isPublic, guesses: true })).withoutSecrets(input);
    },
  };
}

export interface KeptCall {
  readonly id: string;
  readonly digest: string;
  readonly input: JsonObject;
  readonly keeping: Keeping;
  readonly at: number;
}

/** What goes to the disk in one commit with the intent. Throws where it cannot be sealed: then nothing happens. */
export async function keptBeside(seal: ArgumentSeal, call: KeptCall): Promise<KeptBeside> {
  const { id, digest, input, keeping, at } = call;
  const text = canonicalJson(await keeping.form(input));
  const { key, nonce, sealed } = await seal.close(id, digest, text, keeping.policy.keeper);
  return { call_id: id, key, nonce, sealed, at };
}

export interface KeptParts {
  readonly rows: SealedArgumentRows;
  readonly seal: ArgumentSeal;
  readonly audit: AuditLog;
  readonly desk: OperatorAuth;
}

/** Looking at what was kept, and erasing it, is for the operator, and on record first. */
export function keptArgumentOperations({ rows, seal, audit, desk }: KeptParts): KeptArguments {
  return {
    async open(call, by) {
      const who = await desk.verify(by, 'open the arguments of a call');
      await audit.flush();
      const kept = await rows.get(call);
      if (kept === undefined)
        throw new HostError('not_found', `no arguments are kept of ${JSON.stringify(call.slice(0, 80))}`, {
          hint: 'they are kept of calls that ran while audit.arguments was "encrypted", until "toolwharf audit forget"',
        });
      await audit.append({ kind: 'operator', body: { act: 'arguments open', callId: call, ...who } });
      const { row, intent } = kept;
      const said: Json = intent === undefined ? null : JSON.parse(intent);
      if (!isObject(said) || said.callId !== call || typeof said.arguments !== 'string')
        throw changedSeal(call);
      const text = await seal.open({ ...row, call }, said.arguments);
      return {
        call,
        tool: String(said.tool),
        arguments: JSON.parse(text) as Json,
        exact: hash('sha256', text) === said.arguments,
        at: row.at,
      };
    },
    async forget(before, by) {
      if (!Number.isSafeInteger(before) || Math.abs(before) > 8.64e15)
        throw new HostError('usage', 'say before which time arguments are forgotten');
      const who = await desk.verify(by, 'forget the arguments of calls');
      await audit.flush();
      const count = await rows.count(before);
      const until = new Date(before).toISOString();
      await audit.append({
        kind: 'operator',
        body: { act: 'arguments forget', before: until, count, ...who },
      });
      return rows.forget(before);
    },
  };
}
