import type { CancelSignal } from '../model/cancel-signal.js';
import type { Json, JsonObject } from '../model/json.js';
import type { LogLevel } from '../model/log-level.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';

/** One execution of a tool's action, after all checks and approvals. */
export interface RunRequest {
  readonly package: Package;
  readonly tool: Tool;
  /** Frozen; the audit log contains the digest of exactly this value. */
  readonly input: JsonObject;
  readonly callId: string;
  /** For a tool that is declared idempotent: the same for every try of the call. */
  readonly idempotencyKey?: string | undefined;
  readonly timeoutMs: number;
  /** The timeout of the whole call, for messages, if a part of it was spent waiting. Default: `timeoutMs`. */
  readonly callTimeoutMs?: number | undefined;
  readonly outputBytes: number;
  readonly signal: CancelSignal;
  /** The caller, for programs that request it. */
  readonly caller: CallerContext;
  /** Called with the hosts that the tool was denied, for the audit log. */
  readonly onNetworkDenied: (hosts: readonly string[]) => void;
  /** Called with each `host:port` that was connected to, also with none, for the audit log. Not called if that is unknown. */
  readonly onNetworkUsed?: ((hosts: readonly string[]) => void) | undefined;
  /** Called with the folders of the workspace in which something changed during the call. Not called if nobody watches. */
  readonly onFilesChanged?: ((folders: readonly string[]) => void) | undefined;
  /** Called with the secrets that were removed from the output, for the audit log; never with their values. */
  readonly onRedacted?: ((what: readonly JsonObject[]) => void) | undefined;
  /** Called with everything that the scanner removed from the output, with its place. */
  readonly onFindings?: ((findings: readonly OutputFinding[]) => void) | undefined;
  /** Called when the tool reports progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The `_meta` of an MCP request, for an MCP server. The host's own members are not in it. */
  readonly meta?: JsonObject | undefined;
  /** Receives the log messages of an MCP server. */
  readonly logging?: CallLogging | undefined;
  /** `shown`: the client shows MCP Apps, and an MCP server learns it. */
  readonly apps?: 'shown' | 'hidden' | undefined;
  /** Asks the user a question of the tool. */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
  /** Called when an MCP server runs the call as a task, so that its answer may take long. */
  readonly onTask?: (() => void) | undefined;
  /** Passes other requests of the tool's MCP server to the client. */
  readonly clientRequests?: ClientRequests | undefined;
}

/** What can be asked of the client of a call or of a read, and what it gets meanwhile. */
export interface AskedClient {
  /** Asks the user a question; see `CallRequest`. */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
  readonly clientRequests?: ClientRequests | undefined;
  /** `shown`: the client shows MCP Apps, and an MCP server learns it. */
  readonly apps?: 'shown' | 'hidden' | undefined;
  /** The `_meta` of an MCP request that reads a prompt or resource; calls have their own. */
  readonly meta?: JsonObject | undefined;
  /** Called when the server reports progress of a read. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Receives the log messages of the server during a read. */
  readonly logging?: CallLogging | undefined;
}

/** Requests of an MCP server that are passed on to the client of a call. */
export interface ClientRequests {
  /** What the client can answer: its MCP capabilities `sampling` and `roots`; `elicitation` if it shows more than forms. */
  readonly capabilities: JsonObject;
  /** Resolves to the client's result. Rejects with a HostError if there is none. */
  readonly send: (method: ClientRequestMethod, params: JsonObject) => Promise<JsonObject>;
}

export type ClientRequestMethod = 'sampling/createMessage' | 'roots/list';

/** Who wants the log messages of a server during a call: those of `level` and above. */
export interface CallLogging {
  readonly level: LogLevel;
  /** Called with the `params` of MCP's `notifications/message`. */
  readonly onMessage: (message: JsonObject) => void;
}

/** Something that the scanner removed from an output. */
export interface OutputFinding {
  /** Such as `result.items[0].token`; empty if the place is not known. */
  readonly path: string;
  /** The rule; for a value of the vault, its slot. */
  readonly rule: string;
  readonly reason: 'value' | 'format' | 'guess';
}

/** The result of a tool. A failure is thrown as a HostError with the tool's error text. */
export interface RunResult {
  readonly value: Json;
  /** The value is the list of the records of a stream. */
  readonly records?: boolean;
  /** The value is binary content in base64. */
  readonly binary?: BinaryContent;
  /** What it printed besides the result, for people. */
  readonly log?: string;
  readonly warnings: readonly string[];
  /** Secrets were removed from it. */
  readonly redacted?: boolean;
  /** MCP content parts (text, images, links), if the tool returned them. */
  readonly parts?: readonly JsonObject[];
  /** The value is the structured content of an MCP result, beside its parts. */
  readonly structured?: boolean;
  /** The `_meta` of an MCP result. */
  readonly meta?: JsonObject;
}

/** What a binary answer is. */
export interface BinaryContent {
  readonly encoding: 'base64';
  readonly mimeType: string;
  /** Size of the content itself, not of its text. */
  readonly bytes: number;
}

export interface CallerContext {
  readonly agentId: string;
  readonly sessionId: string;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
