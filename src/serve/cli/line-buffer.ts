/** A moment that nobody notices, and in which a busy host answers dozens of calls. */
const patienceMs = 20;

/** Lines that are written together: each write to a terminal or a file holds the whole host up. */
export class LineBuffer {
  readonly #out: (text: string) => void;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  add(line: string): void {
    this.#held += `${line}\n`;
    this.#timer ??= setTimeout(() => this.flush(), patienceMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#held;
    this.#held = '';
    if (text !== '') this.#out(text);
  }
}
