import { HostError, type HostErrorCode, type HostErrorOptions } from '../../model/host-error.js';

/** An error with its own HTTP status, where the status of its code in `serve/errors.ts` is not precise enough. */
export class HttpError extends HostError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: HostErrorCode,
    message: string,
    options: HostErrorOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message, options);
    this.status = status;
    this.headers = options.headers ?? {};
  }
}
