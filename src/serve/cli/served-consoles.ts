import type { Host, SessionOptions } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { openPageServer, type PageServer } from '../http/approval-page/page-server.js';
import type { ExemptionFile } from '../http/console/console-exemptions.js';
import { ConsoleFiles } from '../http/console/console-files.js';
import { ConsoleSite } from '../http/console/console-site.js';
import { defaultHttpServerLimits } from '../http/server-limits.js';

export interface ServedConsolesOptions {
  /** Folder with the built files of the console. */
  readonly folder: string;
  readonly version: string;
  /** Where exemptions from the scanner are written. */
  readonly exemptions: ExemptionFile;
  /** Keeps the host running until the returned function is called. */
  readonly hold: () => () => void;
  readonly onBug: (error: unknown) => void;
}

/** Consoles with different packages at the same time. */
const maxConsoles = 8;
/** How long the host waits for somebody who got a link. */
const linkWaitMs = 10 * 60_000;

/** The consoles of a host in the background: one for each choice of packages, opened when somebody asks for a link. */
export class ServedConsoles {
  readonly #host: Host;
  readonly #options: ServedConsolesOptions;
  readonly #servers = new Map<string, Promise<PageServer>>();
  /** Ends waiting for somebody who got a link. */
  readonly #waits = new Set<() => void>();

  constructor(host: Host, options: ServedConsolesOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** The origin of the console with these packages. */
  async serve({
    principal: _,
    client: _client,
    operator: _operator,
    ...session
  }: SessionOptions): Promise<string> {
    const key = JSON.stringify(session);
    if (!this.#servers.has(key) && this.#servers.size >= maxConsoles)
      throw new HostError('rate_limited', `this host serves ${maxConsoles} consoles already`, {
        hint: 'close one of them, or stop the host',
      });
    const opening = this.#servers.get(key) ?? this.#open(session);
    this.#servers.set(key, opening);
    try {
      const { url } = await opening;
      this.#waitForPage();
      return url;
    } catch (error) {
      this.#servers.delete(key);
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const end of this.#waits) end();
    for (const it of this.#servers.values()) await it.then((server) => server.close()).catch(() => {});
  }

  #open(session: SessionOptions): Promise<PageServer> {
    const { folder, version, hold, onBug, exemptions } = this.#options;
    let release: (() => void) | undefined;
    const console = new ConsoleSite(this.#host, {
      ...{ version, onBug, exemptions, now: Date.now },
      limits: defaultHttpServerLimits,
      files: ConsoleFiles.read(folder),
      // Who only looks accepts nothing.
      session: { ...session, accept: null },
      onPages: (count) => {
        if (count > 0) {
          release ??= hold();
          for (const end of this.#waits) end();
        } else {
          release?.();
          release = undefined;
        }
      },
    });
    return openPageServer(this.#host, { now: Date.now, onBug, console });
  }

  #waitForPage(): void {
    const release = this.#options.hold();
    const timer = setTimeout(() => end(), linkWaitMs);
    timer.unref();
    const end = () => {
      clearTimeout(timer);
      this.#waits.delete(end);
      release();
    };
    this.#waits.add(end);
  }
}
