import { HostError, type HostErrorCode, type HostErrorOptions } from '../../model/host-error.js';

/** A refusal with a status of its own, where HTTP has a finer word than the table of codes. */
export class Refusal extends HostError {
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
