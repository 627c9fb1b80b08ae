import { HostError } from '../../../model/host-error.js';

/** PINs that may be tried for one held call. The delay after wrong PINs applies besides. */
const maxTries = 5;
const maxCalls = 200;

/**
 * Limits how many PINs can be tried on the page of one held call. Without it, an agent that has the link could try so many
 * that the delay keeps the operator out.
 */
export class PinTries {
  readonly #tries = new Map<string, number>();

  /** Counts a PIN before it is checked. Throws if there were too many. */
  begin(approval: string): void {
    const before = this.#tries.get(approval) ?? 0;
    if (before >= maxTries)
      throw new HostError('rate_limited', 'Too many PINs were tried on this page.', {
        hint: `approve at the terminal: toolwharf approvals approve ${approval}`,
      });
    for (const it of this.#tries.keys()) {
      if (this.#tries.size < maxCalls) break;
      this.#tries.delete(it);
    }
    this.#tries.set(approval, before + 1);
  }

  succeeded(approval: string): void {
    this.#tries.delete(approval);
  }
}
