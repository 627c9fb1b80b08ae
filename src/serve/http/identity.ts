import type { TokenRole } from '../../host/host.js';

/** The identity behind a token. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly role: TokenRole;
  /** Milliseconds since 1970. Null: never expires. */
  readonly expiresAt: number | null;
  /** The principal of its calls. */
  readonly principal: string;
  /** Whether the operator allowed its user to approve held calls at the client. */
  readonly mayApprove: boolean;
}
