import { setTimeout as wait } from 'node:timers/promises';
import { HostError } from '../../model/host-error.js';
import type { HttpStream } from '../../net/http-client.js';
import { eventsOf } from '../../wire/event-stream.js';

export interface ResumedEventsOptions {
  /** Maximum size of one event in bytes. */
  readonly limit: number;
  readonly tooLarge: () => Error;
  /** Aborted when nobody needs the rest. */
  readonly signal: AbortSignal;
  /** Opens the stream after an event. Null: the server does not continue it. May throw if it cannot be reached now. */
  readonly reopen: (lastEventId: string) => Promise<HttpStream | null>;
}

/** Tries without an event in between. */
const maxTries = 5;
/** Milliseconds until the stream is opened again: the server's wish within these bounds. */
const delay = { least: 100, most: 30_000, usual: 1000 };
/** An id of an event that can be sent back in a header. */
export const headerText = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;

/**
 * The messages of a response stream of a 2025 server. If the connection breaks, or the server closes it before the answer,
 * the stream goes on after the last event that has an id.
 */
export async function* resumedEvents(
  first: HttpStream,
  { limit, tooLarge, signal, reopen }: ResumedEventsOptions,
): AsyncGenerator<string> {
  let lastEventId: string | undefined;
  let delayMs = delay.usual;
  const onField = (field: 'id' | 'retry', value: string) => {
    if (field === 'id') lastEventId = headerText.test(value) ? value : undefined;
    else if (/^\d{1,9}$/.test(value)) delayMs = Math.min(delay.most, Math.max(delay.least, Number(value)));
  };
  let stream: HttpStream | null | undefined = first;
  for (let tries = 0; stream !== null; tries++) {
    try {
      if (stream !== undefined)
        for await (const event of eventsOf(stream.body, limit, tooLarge, onField)) {
          tries = 0;
          // The first event may have an id and nothing else.
          if (event !== '') yield event;
        }
    } catch (error) {
      if (signal.aborted || lastEventId === undefined || !isBroken(error)) throw error;
    } finally {
      stream?.body.destroy();
    }
    if (signal.aborted || lastEventId === undefined || tries === maxTries) return;
    await wait(delayMs, undefined, { signal, ref: false });
    stream = await reopen(lastEventId).catch((error: unknown) => {
      if (signal.aborted || !isBroken(error)) throw error;
      return undefined;
    });
  }
}

/** Whether the connection failed, and not what came through it. */
function isBroken(error: unknown): boolean {
  return !(error instanceof HostError) || error.code === 'network_failed';
}
