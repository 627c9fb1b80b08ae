import type { RemoteHost } from '../../host/host.js';
import { visibleLine } from '../print/visible.js';

/** Prints what shows a rollback of the audit log, each once. */
export class RollbackWarnings {
  readonly #print: (text: string) => void;
  readonly #printed = new Set<string>();

  /** `print` gets whole lines. */
  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** For a host that finds something while it runs. */
  readonly report = (message: string): void => {
    if (this.#printed.has(message)) return;
    this.#printed.add(message);
    this.#print(
      `warning: ${visibleLine(message)}\n  see "toolwharf audit verify"; when you know why, acknowledge it: toolwharf list --attention\n`,
    );
  };

  /** Everything that nobody acknowledged yet. */
  async reportAll(host: RemoteHost): Promise<void> {
    for (const { message } of await host.rollbacks.list()) this.report(message);
  }
}
