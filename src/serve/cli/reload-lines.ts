import type { PackageReport, Session } from '../../host/host.js';
import { visibleLine } from '../print/visible.js';
import type { Terminal } from './terminal.js';

/** Prints what edits of served folders changed, and which packages wait for a person because of them. */
export class ReloadLines {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  #session: Session | undefined;
  #held: ReadonlySet<string> = new Set();

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** The packages as they stand now; those that are held already are not told again. */
  async follow(session: Session): Promise<PackageReport> {
    const report = await session.packages();
    this.#session = session;
    this.#held = new Set(report.packages.filter((it) => it.state === 'needs-review').map((it) => it.path));
    return report;
  }

  readonly tell = (lines: readonly string[]): void => {
    for (const line of lines) this.#print({ event: 'reload', line }, visibleLine(line));
    // A host that is closing has nothing left to tell.
    this.#tellHeld().catch((error) => {
      if (!this.#terminal.signal.aborted) this.#terminal.err(`${visibleLine(String(error))}\n`);
    });
  };

  async #tellHeld(): Promise<void> {
    const { packages } = (await this.#session?.packages()) ?? { packages: [] };
    const held = packages.filter((it) => it.state === 'needs-review');
    for (const { id, path, reasons } of held.filter((it) => !this.#held.has(it.path)))
      this.#print(
        { event: 'needs-review', package: id, path, reasons },
        visibleLine(`held     ${id ?? path}  ${reasons.join('; ')}`),
      );
    this.#held = new Set(held.map((it) => it.path));
  }

  #print(event: object, line: string): void {
    this.#terminal.out(this.#json ? `${JSON.stringify(event)}\n` : `${line}\n`);
  }
}
