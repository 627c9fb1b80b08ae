// A call from the console, with what happens meanwhile as events: progress, log lines, and what was removed from the answer.
import type { ServerResponse } from 'node:http';
import type { CallRequest, ExplainedFinding, Progress, Session } from '../../../host/host.js';
import type { Cancellation } from '../../../model/cancel-signal.js';
import type { Json, JsonObject } from '../../../model/json.js';
import { EventStream, type EventStreamOptions } from '../event-stream.js';
import type { HttpReply } from '../http-reply.js';

/** One event of a call. The last one has a result or an error. */
export interface ConsoleCallEvent {
  readonly started?: true;
  readonly progress?: Progress;
  /** The `params` of MCP's `notifications/message`. */
  readonly log?: JsonObject;
  readonly removed?: readonly ExplainedFinding[];
}

interface ConsoleCallOptions extends EventStreamOptions {
  readonly signal: Cancellation;
  readonly now: () => number;
  /** The reply for anything thrown. */
  readonly failed: (error: unknown) => HttpReply;
}

/** Between two messages about progress. A last one that is dropped says less than the answer that follows. */
const progressMs = 100;
/** Log lines of one call. */
const maxLogLines = 2000;

export async function streamCall(
  session: Session,
  { tool, arguments: args, timeoutMs }: JsonObject,
  response: ServerResponse,
  { signal, now, failed, ...options }: ConsoleCallOptions,
): Promise<void> {
  const stream = new EventStream(response, options);
  const send = (event: ConsoleCallEvent | JsonObject) => {
    if (!response.destroyed) stream.send(JSON.stringify(event));
  };
  let shownAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  send({ started: true });
  const request: CallRequest = {
    tool: tool as string,
    arguments: args as Json,
    ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs as number }),
    signal,
    onProgress: (progress) => {
      if (now() - shownAt < progressMs) return;
      shownAt = now();
      send({ progress });
    },
    logging: {
      level: 'debug',
      onMessage: (log) => {
        if (lines++ < maxLogLines) send({ log });
      },
    },
    onRemoved: (removed) => send({ removed: removed.slice(0, 100) }),
  };
  try {
    send({ result: (await session.call(request)) as unknown as Json });
  } catch (error) {
    send(failed(error).body as JsonObject);
  }
  stream.end();
}
