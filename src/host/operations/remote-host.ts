import type { JsonObject } from '../../model/json.js';
import type { RemoteHost, RemoteSession, SessionOptions } from '../host.js';
import { CloseGuard, withCloseGuard } from './close-guard.js';
import type { NamedOperation } from './operation.js';
import { inputOf, type OperationInput } from './operation-input.js';
import { withMethods } from './operations.js';

/** Sends one operation to a host in another process. Resolves to its result as JSON; rejects with a `HostError`. */
export type SendOperation = (
  operation: NamedOperation,
  input: JsonObject,
  context: Pick<OperationInput, 'by' | 'signal' | 'onProgress'>,
) => Promise<unknown>;

/** A session whose operations are sent to another process. */
export function remoteSession(send: SendOperation, close: () => Promise<void>): RemoteSession {
  const session = { ...withMethods({} as RemoteSession, 'session', (it) => sender(it, send)), close };
  return withCloseGuard(session, new CloseGuard('session'));
}

export interface RemoteConnection {
  readonly send: SendOperation;
  session(options: SessionOptions): Promise<RemoteSession>;
  close(): Promise<void>;
}

/** A host in another process. Every method sends its operation. */
export function remoteHost({ send, session, close }: RemoteConnection): RemoteHost {
  const host = { ...withMethods({} as RemoteHost, 'host', (it) => sender(it, send)), session, close };
  return withCloseGuard(host, new CloseGuard('host'));
}

function sender(operation: NamedOperation, send: SendOperation) {
  return async (...args: readonly unknown[]): Promise<unknown> => {
    const { input, by, signal, onProgress } = inputOf(operation, args);
    const report = operation.progress === true ? onProgress : undefined;
    const result = await send(operation, input, { by, signal, onProgress: report });
    return operation.result.schema.type === 'null' ? undefined : result;
  };
}
