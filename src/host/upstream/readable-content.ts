import type { CancelSignal } from '../../model/cancel-signal.js';
import type { JsonObject } from '../../model/json.js';
import type { AskedClient } from '../../run/run.js';
import type { ReadTarget } from './reading-rules.js';

/** A prompt or resource of an upstream server. */
export interface ReadableContent {
  readonly target: ReadTarget;
  readonly program: string;
  /** Throws if the request contains a secret. */
  checkForSecrets(request: JsonObject): Promise<void>;
  /** `client`: whom its server may ask something. */
  read(request: JsonObject, signal: CancelSignal, client?: AskedClient): Promise<JsonObject>;
  /**
   * Reports updates of a resource. Resolves when its server has agreed, to a promise of the end. Absent for a prompt.
   */
  watch?(onUpdate: (uri: string) => void, signal: CancelSignal): Promise<{ readonly ended: Promise<void> }>;
  /** Asks its server for values of an argument. */
  complete(request: JsonObject, signal: CancelSignal): Promise<JsonObject>;
}
