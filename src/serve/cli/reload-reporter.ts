import type { PackageReport, Session } from '../../host/host.js';
import { visibleLine } from '../print/visible.js';
import type { Terminal } from './terminal/terminal.js';

/** Prints what edits in served folders changed, and which packages need review because of them. */
export class ReloadReporter {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  #session: Session | undefined;
  #needReview: ReadonlySet<string> = new Set();

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** Starts reporting. Packages that need review already are not reported again. */
  async follow(session: Session): Promise<PackageReport> {
    const report = await session.packages();
    this.#session = session;
    this.#needReview = new Set(
      report.packages.filter((it) => it.state === 'needs-review').map((it) => it.path),
    );
    return report;
  }

  readonly report = (lines: readonly string[]): void => {
    for (const line of lines) this.#print({ event: 'reload', line }, visibleLine(line));
    // Errors do not matter once the host is closing.
    this.#reportNewReviews().catch((error) => {
      if (!this.#terminal.signal.aborted) this.#terminal.err(`${visibleLine(String(error))}\n`);
    });
  };

  async #reportNewReviews(): Promise<void> {
    const { packages } = (await this.#session?.packages()) ?? { packages: [] };
    const waiting = packages.filter((it) => it.state === 'needs-review');
    for (const { id, path, reasons } of waiting.filter((it) => !this.#needReview.has(it.path)))
      this.#print(
        { event: 'needs-review', package: id, path, reasons },
        visibleLine(`needs-review ${id ?? path}  ${reasons.join('; ')}`),
      );
    this.#needReview = new Set(waiting.map((it) => it.path));
  }

  #print(event: object, line: string): void {
    this.#terminal.out(this.#json ? `${JSON.stringify(event)}\n` : `${line}\n`);
  }
}
