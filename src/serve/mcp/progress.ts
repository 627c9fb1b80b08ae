import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { notification } from './message.js';

const beatMs = 1000;

/** Tells a client that asked for it, each second, how long its request has been under way. Returns how to stop. */
export function reportProgress(meta: Json | undefined, send: (message: JsonObject) => void): () => void {
  const token = isObject(meta) ? meta.progressToken : undefined;
  if (typeof token !== 'string' && !Number.isInteger(token)) return () => {};
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    const params = { progressToken: token as Json, progress: seconds, message: `${seconds} s` };
    send(notification('notifications/progress', params));
  }, beatMs);
  timer.unref();
  return () => clearInterval(timer);
}

const traceKeys = ['traceparent', 'tracestate', 'baggage'];
const maxTrace = 8192;

/** W3C trace context of a request, for the result that belongs to it. */
export function traceOf(meta: Json | undefined): JsonObject {
  if (!isObject(meta)) return {};
  const kept = traceKeys.flatMap((key) => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === 'string' && value.length <= maxTrace ? [[key, value] as const] : [];
  });
  return Object.fromEntries(kept);
}
