import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a form can be sent after it was shown. */
const lifetimeMs = 30 * 60_000;
/** Used tickets that are remembered. With more, all older forms must be loaded again. */
const maxUsed = 1000;

/**
 * Makes sure that a decision comes from the form that this host showed in the same browser: the form has a ticket that is
 * bound to a cookie and to the held call, and that works once. Showing a form stores nothing, so that programs which only
 * fetch links cannot fill the memory.
 */
export class FormTickets {
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  /** Expiry time of each used ticket. */
  readonly #used = new Map<string, number>();
  /** Forms shown before this time are not accepted. */
  #notBefore = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  create(approval: string, browser: string): string {
    const body = `${this.#now().toString(36)}.${randomBytes(16).toString('base64url')}`;
    return `${body}.${this.#tag(body, approval, browser)}`;
  }

  /** True once for a ticket of this call and browser. */
  use(ticket: string, approval: string, browser: string): boolean {
    const [, body = '', shownAt = '', tag = ''] =
      /^(([0-9a-z]{1,11})\.[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(ticket) ?? [];
    const expected = Buffer.from(this.#tag(body, approval, browser));
    const actual = Buffer.from(tag);
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return false;
    const now = this.#now();
    const at = Number.parseInt(shownAt, 36);
    if (at < this.#notBefore || at + lifetimeMs <= now || this.#used.has(body)) return false;
    for (const [used, until] of this.#used) if (until <= now) this.#used.delete(used);
    if (this.#used.size >= maxUsed) {
      this.#used.clear();
      this.#notBefore = now + 1;
    }
    this.#used.set(body, at + lifetimeMs);
    return true;
  }

  #tag(body: string, approval: string, browser: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([body, approval, browser]))
      .digest('base64url');
  }
}

const browserForm = /^[A-Za-z0-9_-]{22}$/;

/** The value of our cookie, which names a browser for one held call; undefined if it has none. */
export function browserIn(cookies: string | undefined, name: string): string | undefined {
  const values = (cookies ?? '')
    .split(';')
    .map((it) => it.trim())
    .filter((it) => it.startsWith(`${name}=`))
    .map((it) => it.slice(name.length + 1));
  const [only] = values;
  return values.length === 1 && only !== undefined && browserForm.test(only) ? only : undefined;
}

export function newBrowser(): string {
  return randomBytes(16).toString('base64url');
}
