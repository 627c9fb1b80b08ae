// The MCP server as transports see it. One server serves one caller: it wraps one host session.
//
//   lines (stdio shim, socket)     server.lines(connection)          detects the era from the first request
//   HTTP, 2026-07-28               server.request2026(request, …)    stateless: one request in, one reply out
//   HTTP, 2025-11-25 and earlier   server.session2025({ send })      one per `Mcp-Session-Id`; one per request for a
//                                                                    client without a session, which is never asked
//
// How a transport uses it:
// - `parseMessages(text, batches)` of json-rpc.ts parses a body or line. For an invalid message it returns the error
//   reply. `batches` is `session.batches` for 2025 and false for 2026.
// - An `RpcReply` is the JSON-RPC response as text, with the error code if it is an error. HTTP maps the code to a
//   status. Undefined: nothing to send, because the message was a notification or the request was canceled.
// - Messages of the server (progress, list changes, and in 2025 `elicitation/create`) go through `onNotification` or
//   `send`. In 2025 `about` is the request that a message belongs to: HTTP sends it on the stream of that request.
//   Without `about` it goes to the GET stream.
// - A 2025 client answers `elicitation/create` with a response message, passed to `receive`; it is matched by id.
// - Aborting `signal` means that the client canceled or disconnected: the tool's process is ended and there is no reply.
//   `subscriptions/listen` stays open until then, or until `server.close()`, which ends it with its result.
// - `close()` of a session cancels its requests; `close()` of a server closes all sessions. Neither closes the host
//   session, which belongs to the code that opened it.
import type { JsonSchema } from '../../model/json.js';
import type { LineConnection } from '../../wire/line-connection.js';
import { createDispatch } from './dispatch.js';
import { createEra2025, type Session2025, type Session2025Options } from './era-2025/session.js';
import { createEra2026 } from './era-2026/request.js';
import type { Request2026Options } from './era-2026/request-options.js';
import type { RpcReply, RpcRequest } from './json-rpc.js';
import { type LineActivity, serveLines } from './line-transport.js';
import type { McpServerOptions } from './server-options.js';

export interface McpServer {
  /** The input schema of a tool, by any of its names. */
  inputSchemaOf(tool: string): Promise<JsonSchema | undefined>;
  /** Handles one request of the 2026 era. Undefined if it was canceled. */
  request2026(request: RpcRequest, options: Request2026Options): Promise<RpcReply | undefined>;
  /** Opens the session of one client of the 2025 era. */
  session2025(options: Session2025Options): Session2025;
  /** Serves both eras over lines. Resolves after the client has disconnected and its calls were canceled. */
  lines(connection: LineConnection, activity?: LineActivity): Promise<void>;
  close(): void;
}

export function createMcpServer(options: McpServerOptions): McpServer {
  const dispatch = createDispatch(options);
  const era2025 = createEra2025(dispatch);
  const era2026 = createEra2026(dispatch);
  return {
    inputSchemaOf: dispatch.inputSchemaOf,
    request2026: era2026.request,
    session2025: era2025.open,
    lines: (connection, activity = { calls: 0 }) => {
      const { lineBudget: budget, principal, onBug } = options;
      return serveLines(connection, { era2025, era2026, budget, principal, activity, onBug });
    },
    close() {
      era2025.close();
      era2026.close();
      dispatch.close();
    },
  };
}

export type { Request2026Options, RpcReply, RpcRequest, Session2025, Session2025Options };
