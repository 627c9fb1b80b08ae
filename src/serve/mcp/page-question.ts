import type { Approvals, Confirmation } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { visibleLine } from '../print/visible.js';

/** Whether a client can ask its user to open a URL. */
export function supportsUrls(capabilities: Json | undefined): boolean {
  return (
    isObject(capabilities) && isObject(capabilities.elicitation) && isObject(capabilities.elicitation.url)
  );
}

/** Asks the user to open the page of a held call. An answer only says whether the page was opened; it decides nothing. */
export function pageQuestion({ tool, expiresAt }: Confirmation, url: string): JsonObject {
  const message = `The call of ${visibleLine(tool)} is held. Open the page to see it, and approve or deny it there until ${expiresAt}.`;
  return { mode: 'url', message, url };
}

/** The part of `Approvals` that is needed to wait for a decision. */
export type DecisionSource = Pick<Approvals, 'get' | 'onChange'>;

/** Waits until somebody decided, the time is up, or the call is canceled. Returns whether there is a decision. */
export async function waitForDecision(
  approvals: DecisionSource,
  approval: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: CancelSignal },
): Promise<boolean> {
  const isDecided = async () => (await approvals.get(approval)).state !== 'proposed';
  let wake = () => {};
  let isOver = false;
  const end = () => {
    isOver = true;
    wake();
  };
  const stop = approvals.onChange(() => wake());
  const timer = setTimeout(end, timeoutMs);
  timer.unref();
  signal.addEventListener('abort', end, { once: true });
  try {
    for (;;) {
      // Made before the check, so that no change is missed.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (await isDecided()) return true;
      if (isOver || signal.aborted) return false;
      await changed;
    }
  } finally {
    stop();
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
