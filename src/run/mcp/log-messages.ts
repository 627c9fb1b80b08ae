import type { JsonObject } from '../../model/json.js';
import { LiveMap } from '../../model/live-map.js';
import { isWanted, type LogLevel } from '../../model/log-level.js';
import type { CallLogging } from '../run.js';

/** Member of the `_meta` of a request in the 2026 era. */
export const logLevelKey = 'io.modelcontextprotocol/logLevel';

/** The log messages of one server. It does not say which call a message belongs to. */
export class LogMessages {
  readonly #wanted = new LiveMap<CallLogging, true>();
  #level: LogLevel | undefined;

  enter(logging: CallLogging): () => void {
    this.#wanted.set(logging, true);
    return () => void this.#wanted.delete(logging);
  }

  /** Whether a server of the 2025 era must be told this level. It keeps the lowest one that any call wanted. */
  raises(level: LogLevel): boolean {
    if (this.#level !== undefined && isWanted(level, this.#level)) return false;
    this.#level = level;
    return true;
  }

  /** All calls of a connection are of one client, so a message goes to one of them: the newest that wants it. */
  receive({ level, logger, data = null }: JsonObject): void {
    const call = this.#wanted
      .keys()
      .reverse()
      .find((it) => isWanted(level, it.level));
    call?.onMessage({
      level: level as LogLevel,
      ...(typeof logger === 'string' ? { logger: logger.slice(0, 200) } : {}),
      data,
    });
  }
}

/** A log message of a server in the log of the host. */
export function logLine({ level, data }: JsonObject): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
  return `[${typeof level === 'string' ? level.slice(0, 20) : 'info'}] ${text.slice(0, 4000)}`;
}
