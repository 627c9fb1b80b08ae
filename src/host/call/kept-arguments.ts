import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { SlotValue } from '../../model/slot.js';
import { type ArgumentSeal, sealMismatch } from '../../secrets/argument-seal.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { SealedArgumentsInput } from '../../store/call-tables.js';
import type { SealedArgumentRows } from '../../store/sealed-arguments.js';
import type { KeptArgumentOperations, SealingPolicy } from '../host.js';
import type { OperatorAuth } from '../operator/operator-auth.js';
import type { PassedEnvironment } from '../sandboxing/passed-environment.js';
import { passedValues } from '../sandboxing/slots.js';
import type { IsPublicSetting, SecretScanner } from './secret-scanner.js';

/** How the arguments of a tool's calls are kept for the operator. */
export interface ArgumentKeeping {
  readonly policy: SealingPolicy;
  /** Secrets are removed first: kept arguments must not be worth more than the vault key that seals them. */
  withoutSecrets(input: JsonObject): Promise<Json>;
}

/** The scanner knows the values of the vault; values from environment variables are passed to it here. */
export function argumentKeepingFor(
  pkg: Package,
  policy: SealingPolicy | undefined,
  passed: () => PassedEnvironment,
  scanner: SecretScanner,
  isPublic: IsPublicSetting,
): ArgumentKeeping | null {
  if (policy === undefined) return null;
  return {
    policy,
    async withoutSecrets(input) {
      const values = new Map<string, SlotValue>();
      for (const [name, value] of Object.entries(passedValues(pkg, passed()))) {
        const secret = pkg.slots.find((it) => it.name === name)?.secret !== false;
        values.set(name, { value, secret, recipients: { kind: 'nobody' } });
      }
      return (await scanner.forCall(pkg, values, { isPublic, guesses: true })).withoutSecrets(input);
    },
  };
}

export interface ArgumentsToKeep {
  /** Id of the call. */
  readonly id: string;
  readonly digest: string;
  readonly input: JsonObject;
  readonly keeping: ArgumentKeeping;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Goes to disk in one commit with the intent. Throws if sealing fails, so that the call does not run. */
export async function sealArguments(
  seal: ArgumentSeal,
  call: ArgumentsToKeep,
): Promise<SealedArgumentsInput> {
  const { id, digest, input, keeping, at } = call;
  const text = canonicalJson(await keeping.withoutSecrets(input));
  const { key, nonce, sealed } = await seal.seal(id, digest, text, keeping.policy.keyStorage);
  return { call_id: id, key, nonce, sealed, at };
}

export interface KeptArgumentServices {
  readonly rows: SealedArgumentRows;
  readonly seal: ArgumentSeal;
  readonly audit: AuditLog;
  readonly operatorAuth: OperatorAuth;
}

/** Opens and erases kept arguments. Each operation is written to the audit log first. */
export function keptArgumentOperations({
  rows,
  seal,
  audit,
  operatorAuth,
}: KeptArgumentServices): KeptArgumentOperations {
  return {
    async open(call, actor) {
      const who = await operatorAuth.verify(actor, 'open the arguments of a call');
      await audit.flush();
      const kept = await rows.get(call);
      if (kept === undefined)
        throw new HostError('not_found', `no arguments are kept for ${JSON.stringify(call.slice(0, 80))}`, {
          hint: 'they are kept only for calls made while audit.arguments is "encrypted", until "toolwharf audit forget"',
        });
      await audit.append({ kind: 'operator', body: { operation: 'arguments open', callId: call, ...who } });
      const { row, intent } = kept;
      const intentBody: Json = intent === undefined ? null : JSON.parse(intent);
      if (!isObject(intentBody) || intentBody.callId !== call || typeof intentBody.arguments !== 'string')
        throw sealMismatch(call);
      const text = await seal.open({ ...row, call }, intentBody.arguments);
      return {
        call,
        tool: String(intentBody.tool),
        arguments: JSON.parse(text) as Json,
        exact: sha256(text) === intentBody.arguments,
        at: row.at,
      };
    },
    async forget(before, actor) {
      if (!Number.isSafeInteger(before) || Math.abs(before) > 8.64e15)
        throw new HostError('usage', 'the time before which arguments are erased is not valid');
      const who = await operatorAuth.verify(actor, 'erase the arguments of calls');
      await audit.flush();
      const count = await rows.count(before);
      const until = new Date(before).toISOString();
      await audit.append({
        kind: 'operator',
        body: { operation: 'arguments forget', before: until, count, ...who },
      });
      return rows.forget(before);
    },
  };
}
