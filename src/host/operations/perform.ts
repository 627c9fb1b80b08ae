import type { CancelSignal } from '../../model/cancel-signal.js';
import type { JsonObject } from '../../model/json.js';
import type { Actor, RemoteHost, RemoteSession } from '../host.js';
import type { NamedOperation, Param } from './operation.js';
import { assertInput, type OnProgress } from './operation-input.js';
import { methodOf } from './operations.js';

/** Who performs an operation, and what cancels it. */
export interface OperationContext {
  /** Undefined: the operation's own default. */
  readonly by: Actor | undefined;
  readonly signal: CancelSignal;
  /** Undefined: nobody wants to know. */
  readonly onProgress?: OnProgress | undefined;
}

/** Performs an operation with input from another process. */
export async function performOperation(
  target: RemoteHost | RemoteSession,
  operation: NamedOperation,
  input: JsonObject,
  { by, signal, onProgress }: OperationContext,
): Promise<unknown> {
  assertInput(operation, { input, by });
  const names = new Set(operation.params.map((it) => it.name));
  const report = operation.progress === true && onProgress !== undefined ? { onProgress } : {};
  const argument = ({ kind, name }: Param<unknown>): unknown => {
    switch (kind) {
      case 'value':
        return input[name];
      case 'members': {
        const own = Object.fromEntries(Object.entries(input).filter(([key]) => !names.has(key)));
        return { ...own, signal, ...(by === undefined ? {} : { by }), ...report };
      }
      case 'actor':
        return by;
      case 'actor-name':
        return typeof by === 'object' ? by.name : by;
      case 'signal':
        return signal;
    }
  };
  return methodOf(target, operation)(...operation.params.map(argument));
}
