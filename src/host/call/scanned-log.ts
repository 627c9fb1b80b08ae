import type { JsonObject } from '../../model/json.js';
import type { CallLogging } from '../../run/run.js';
import type { CallScan } from './secret-scanner.js';

/** Log messages of one call that are passed on. */
const maxMessages = 500;
/** Characters of one message as JSON. A longer one is left out. */
const maxLength = 16_000;

/** The log messages of a call without secrets, in their order. `flushed` resolves when all have been passed on. */
export function scannedLog(
  scan: CallScan,
  { level, onMessage }: CallLogging,
): { readonly logging: CallLogging; flushed(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  let count = 0;
  const pass = async (message: JsonObject) => {
    const { value } = await scan.clean(message);
    onMessage(value as JsonObject);
  };
  return {
    logging: {
      level,
      onMessage: (message) => {
        count++;
        if (count > maxMessages || JSON.stringify(message).length > maxLength) return;
        // A message that cannot be scanned is not passed on.
        last = last.then(() => pass(message)).catch(() => {});
      },
    },
    flushed: () => last,
  };
}
