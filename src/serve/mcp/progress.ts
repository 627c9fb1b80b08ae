import type { Progress } from '../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { notification } from './message.js';

const beatMs = 1000;

/** What a client that asked for it is told while its request is under way. */
export interface ProgressReport {
  /** What the tool says itself. */
  readonly tell: (progress: Progress) => void;
  readonly stop: () => void;
}

/**
 * Each second, how long a request has been under way, until the tool says itself how far it is. What is told only ever
 * goes up: where a tool begins to speak late, its numbers are counted on from what was told before.
 */
export function reportProgress(meta: Json | undefined, send: (message: JsonObject) => void): ProgressReport {
  const token = isObject(meta) ? meta.progressToken : undefined;
  if (typeof token !== 'string' && !Number.isInteger(token)) return { tell: () => {}, stop: () => {} };
  const say = (told: JsonObject) =>
    send(notification('notifications/progress', { progressToken: token as Json, ...told }));
  let seconds = 0;
  let last = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    seconds++;
    say({ progress: seconds, message: `${seconds} s` });
  }, beatMs);
  timer.unref();
  return {
    tell({ progress, total, message }) {
      clearInterval(timer);
      if (progress <= last) return;
      last = progress;
      say({
        progress: seconds + progress,
        ...(total === undefined ? {} : { total: seconds + total }),
        ...(message === undefined ? {} : { message }),
      });
    },
    stop: () => clearInterval(timer),
  };
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
