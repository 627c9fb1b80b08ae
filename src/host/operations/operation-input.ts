import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Actor, ChangeProgress } from '../host.js';
import type { NamedOperation, Param } from './operation.js';
import { object, type Shape } from './shape.js';

/** The arguments of a method, taken apart: what is sent, who performs it, and what cancels it. */
export interface OperationInput {
  readonly input: JsonObject;
  readonly by: Actor | undefined;
  readonly signal: CancelSignal | undefined;
  /** Undefined: nobody wants to know. */
  readonly onProgress?: OnProgress | undefined;
}

/** Called when a step starts and while bytes arrive. */
export type OnProgress = (progress: ChangeProgress) => void;

/** Members of a call that are not sent. */
const localMembers = new Set([
  'clientRequests',
  'logging',
  'meta',
  'apps',
  'userText',
  'clientText',
  'isTyped',
]);

export function inputOf({ params }: NamedOperation, args: readonly unknown[]): OperationInput {
  const input: Record<string, Json> = {};
  let by: Actor | undefined;
  let signal: CancelSignal | undefined;
  let onProgress: OnProgress | undefined;
  for (const [index, { kind, name }] of params.entries()) {
    const given = args[index];
    if (given === undefined) continue;
    switch (kind) {
      case 'value':
        input[name] = given as Json;
        break;
      case 'members':
        for (const [key, it] of Object.entries(given as object)) {
          if (key === 'by') by = it as Actor;
          else if (key === 'signal') signal = it as CancelSignal;
          else if (key === 'onProgress') onProgress = it as OnProgress | undefined;
          // Other callbacks and what belongs to one MCP request work only in the process of the host.
          else if (it !== undefined && typeof it !== 'function' && !localMembers.has(key))
            input[key] = it as Json;
        }
        break;
      case 'signal':
        signal = given as CancelSignal;
        break;
      default:
        by = given as Actor;
    }
  }
  return { input, by, signal, onProgress };
}

/** The shape of everything that is sent, as one object. */
export function inputShape(params: readonly Param<unknown>[]): Shape<unknown> {
  const named = params.filter((it) => it.kind === 'value');
  const values = object(Object.fromEntries(named.map((it) => [it.name, it.shape as Shape<unknown>])));
  const whole = params.find((it) => it.kind === 'members')?.shape;
  if (whole === undefined || whole === null) return values;
  if (named.length === 0) return whole;
  const required = [values.schema, whole.schema].flatMap(
    (it) => (it.required as readonly string[] | undefined) ?? [],
  );
  const properties = { ...(values.schema.properties as object), ...(whole.schema.properties as object) };
  return {
    schema: { ...values.schema, properties, ...(required.length === 0 ? {} : { required }) },
    problem(input, at) {
      if (typeof input !== 'object' || input === null) return values.problem(input, at);
      const isNamed = ([key]: [string, unknown]) => named.some((it) => it.name === key);
      const entries = Object.entries(input);
      return (
        values.problem(Object.fromEntries(entries.filter(isNamed)), at) ??
        whole.problem(Object.fromEntries(entries.filter((it) => !isNamed(it))), at)
      );
    },
  };
}

/** Rejects input that does not fit, and an operation that nobody performs, with the reason. */
export function assertInput(
  operation: NamedOperation,
  { input, by }: Pick<OperationInput, 'input' | 'by'>,
): void {
  const problem = operation.input.problem(input, '');
  if (problem !== undefined) throw new HostError('usage', `${operation.name}: ${problem}`);
  if (by === undefined && operation.params.some((it) => it.needsActor === true))
    throw new HostError('usage', `${operation.name}: the actor is missing: who performs it?`);
}
