import type { CallLogging } from '../../host/host.js';
import type { JsonObject } from '../../model/json.js';
import type { LogLevel } from '../../model/log-level.js';
import { notification } from './json-rpc.js';

/** Sends the log messages of one call to a client that wants them. */
export function callLogging(
  level: LogLevel | undefined,
  send: (message: JsonObject) => void,
): CallLogging | undefined {
  if (level === undefined) return undefined;
  return { level, onMessage: (params) => send(notification('notifications/message', params)) };
}
