import type { Json } from '../../model/json.js';

/** An error response: of the other side, with its message, or ours to a request of it. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'RpcFailure';
    this.code = code;
    this.data = data;
  }
}

/** Whether an error is an error response with one of the codes. */
export function hasRpcCode(error: unknown, ...codes: readonly number[]): error is RpcFailure {
  return error instanceof RpcFailure && codes.includes(error.code);
}
