// The MCP front as carriers see it. One front serves one caller: it wraps one host session.
//
//   lines (stdio shim, socket)   front.lines(carrier)               tells the era from the first request
//   HTTP, 2026-07-28             front.request2026(request, …)      no state: one request in, one reply out
//   HTTP, 2025-11-25 and before  front.session2025({ send })        one per `Mcp-Session-Id`, or per request where
//                                                                   a client has no session (it is then never asked)
//
// How a carrier uses it:
// - `parseMessages(text, batches)` of message.ts turns a body or line into messages; what is no message is already
//   the reply to send. `batches` is `session.batches` for 2025 and false for 2026.
// - A `Reply` is the JSON-RPC response as text, ready to send, with the error code if it is an error: HTTP maps
//   -32601 to 404 and other errors as it likes. `Reply` undefined: nothing is to be sent (notification, or canceled).
// - What the server says by itself (progress, list changes, and in 2025 `elicitation/create`) goes through
//   `onNotification` or `send`. In 2025 `about` names the request it belongs to, so that HTTP can put it on the
//   stream of that request; without `about` it belongs on the GET stream.
// - Answers of a 2025 client to `elicitation/create` come back through `receive` like any message; they match by id.
// - `signal` aborted means that the client has gone or canceled: the tool's process is ended and the reply is
//   undefined. `subscriptions/listen` stays open until then, or until `front.close()`, which ends it with its result.
// - `close()` of a session cancels what it began; `close()` of a front closes all of it. Neither closes the host
//   session, which belongs to whoever opened it.
import type { Session } from '../../host/host.js';
import type { JsonSchema } from '../../model/json.js';
import type { Carrier } from '../../wire/carrier.js';
import { createDispatch } from './dispatch.js';
import { createEra2025, type Session2025, type Session2025Options } from './era-2025/session.js';
import { createEra2026, type Request2026Options } from './era-2026/request.js';
import type { Deciding } from './hold.js';
import { serveLines } from './lines.js';
import type { Reply, Request } from './message.js';
import { createResultStore, type ResultStore } from './results.js';
import { createRoom, type Room } from './room.js';
import { createSigner, type Signer } from './signer.js';

/** `all`: every tool is listed. `search`: only the tools that find, describe and call the others. */
export type Expose = 'all' | 'search' | 'auto';

/** What all fronts of one host process have in common; made once by `frontParts`. */
export interface FrontParts {
  readonly version: string;
  /** Signs what a 2026 client carries between asking and being answered. */
  readonly signer: Signer;
  /** Large results, kept for a while. */
  readonly results: ResultStore;
  /** For calls of 2026 clients that wait for what a person answers. */
  readonly waiting: { readonly room: Room; readonly waitMs: number; readonly keptMs: number };
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

const waitingCalls = { each: 8, all: 128 };
/** How long a person may take over what a tool asks; the call's own time ends it sooner. */
const waitMs = 10 * 60_000;
/** How long what became of a call meanwhile is kept for whoever brings the answer. */
const keptMs = 60_000;

export interface FrontOptions extends FrontParts {
  readonly session: Session;
  readonly approvals: Deciding;
  /** The principal of the session, as the record names it. */
  readonly principal: string;
  /**
   * Who may redeem what this front hands out: large results and the state of held calls. An id of its own for each
   * connection; over HTTP the id of the token (and of the client's session where there is one).
   */
  readonly holder: string;
  readonly expose: Expose;
}

export interface Front {
  /** The input schema of a tool, by any of its names. */
  inputOf(tool: string): Promise<JsonSchema | undefined>;
  /** One request of the 2026 era. Undefined when it was canceled. */
  request2026(request: Request, options: Request2026Options): Promise<Reply | undefined>;
  /** One client of the 2025 era, from `initialize` to its end. */
  session2025(options: Session2025Options): Session2025;
  /** Serves both eras over lines. Resolves when the client has gone; its calls have been canceled by then. */
  lines(carrier: Carrier): Promise<void>;
  close(): void;
}

export function frontParts(options: Pick<FrontParts, 'version' | 'now' | 'onBug'>): FrontParts {
  const { now } = options;
  const waiting = { room: createRoom(waitingCalls), waitMs, keptMs };
  return { ...options, signer: createSigner({ now }), results: createResultStore({ now }), waiting };
}

export function createFront(options: FrontOptions): Front {
  const dispatch = createDispatch(options);
  const era2025 = createEra2025(dispatch);
  const era2026 = createEra2026(dispatch);
  return {
    inputOf: dispatch.inputOf,
    request2026: era2026.request,
    session2025: era2025.open,
    lines: (carrier) => serveLines(carrier, { era2025, era2026, onBug: options.onBug }),
    close() {
      era2025.close();
      era2026.close();
      dispatch.close();
    },
  };
}

export type { Reply, Request, Request2026Options, Session2025, Session2025Options };
