import type { CancelSignal } from '../../../model/cancel-signal.js';
import type { JsonObject } from '../../../model/json.js';

export interface Request2026Options {
  /** Under which name the session keeps what it has seen. Absent: that of the host session. */
  readonly sessionName?: string | undefined;
  readonly signal: CancelSignal;
  /** Aborted when the client disconnects. Absent if that cannot be detected. */
  readonly gone?: CancelSignal;
  /** Receives notifications that belong to the request and come before its reply. */
  readonly onNotification: (message: JsonObject) => void;
}
