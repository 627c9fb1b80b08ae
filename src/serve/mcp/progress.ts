import type { Progress } from '../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { notification } from './json-rpc.js';

const intervalMs = 1000;
/** Far below what tools report, so that their numbers arrive as they are. */
const beat = 1e-6;
const notAsked: ProgressReport = { report: undefined, stop: () => {} };

/** Progress notifications of one request, if the client asked for them. */
export interface ProgressReport {
  /** Reports progress of the tool itself. Undefined if nobody asked: its server is not asked for progress either. */
  readonly report: ((progress: Progress) => void) | undefined;
  readonly stop: () => void;
}

/**
 * Says once per second how long it takes, until the tool reports its own progress, whose numbers are not changed. Progress
 * must only increase: only a tool that begins with 0 after the first second is moved, by less than anybody sees.
 */
export function reportProgress(meta: Json | undefined, send: (message: JsonObject) => void): ProgressReport {
  const token = isObject(meta) ? meta.progressToken : undefined;
  if (typeof token !== 'string' && !Number.isInteger(token)) return notAsked;
  const notify = (params: JsonObject) =>
    send(notification('notifications/progress', { progressToken: token as Json, ...params }));
  let seconds = 0;
  let sent = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    seconds++;
    sent = seconds * beat;
    notify({ progress: sent, message: `${seconds} s` });
  }, intervalMs);
  timer.unref();
  return {
    report({ progress, total, message }) {
      clearInterval(timer);
      if (progress <= last) return;
      last = progress;
      sent = progress > sent ? progress : sent + beat;
      notify({
        progress: sent,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
    },
    stop: () => clearInterval(timer),
  };
}

const traceKeys = ['traceparent', 'tracestate', 'baggage'];
const maxTrace = 8192;

/** W3C trace context of a request, to copy into its result. */
export function traceOf(meta: Json | undefined): JsonObject {
  if (!isObject(meta)) return {};
  const kept = traceKeys.flatMap((key) => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === 'string' && value.length <= maxTrace ? [[key, value] as const] : [];
  });
  return Object.fromEntries(kept);
}
