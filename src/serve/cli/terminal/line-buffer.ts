/** Too short to notice, but a busy host answers dozens of calls in this time. */
const flushDelayMs = 20;

/** Collects lines and writes them together, because each write blocks the host. */
export class LineBuffer {
  readonly #out: (text: string) => void;
  #buffer = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  add(line: string): void {
    this.#buffer += `${line}\n`;
    this.#timer ??= setTimeout(() => this.flush(), flushDelayMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#buffer;
    this.#buffer = '';
    if (text !== '') this.#out(text);
  }
}
