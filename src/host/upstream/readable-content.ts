import type { CancelSignal } from '../../model/cancel-signal.js';
import type { JsonObject } from '../../model/json.js';
import type { ReadTarget } from './reading-rules.js';

/** A prompt or resource of an upstream server. */
export interface ReadableContent {
  readonly target: ReadTarget;
  readonly program: string;
  /** Throws if the request contains a secret. */
  checkForSecrets(request: JsonObject): Promise<void>;
  read(request: JsonObject, signal: CancelSignal): Promise<JsonObject>;
  /** Asks its server for values of an argument. */
  complete(request: JsonObject, signal: CancelSignal): Promise<JsonObject>;
}
