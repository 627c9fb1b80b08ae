import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Signal } from '../model/signal.js';
import type { Tool } from '../model/tool.js';
import type { CallerContext, Progress } from './upstream/upstream.js';

/** One execution of a tool's action: everything is decided, nothing is asked any more. */
export interface RunRequest {
  readonly package: Package;
  readonly tool: Tool;
  /** Frozen; the digest in the record is of exactly this. */
  readonly input: JsonObject;
  readonly callId: string;
  readonly timeoutMs: number;
  /** The whole time that the call was given, where a part of it went by waiting: what messages speak of. */
  readonly givenMs?: number | undefined;
  readonly outputBytes: number;
  readonly signal: Signal;
  /** Who is calling, for programs that want to know. */
  readonly caller: CallerContext;
  /** Told of what the tool was kept from, for the record. */
  readonly onRefused: (hosts: readonly string[]) => void;
  /** Told of secrets that were taken out of what the tool said, for the record; never the values. */
  readonly onRedacted?: ((what: readonly JsonObject[]) => void) | undefined;
  /** Told how far a tool is that says so itself. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Puts a question of the tool to the person behind the caller. */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
}

/** What a tool answered. A failure is thrown as a HostError with the tool's words. */
export interface RunResult {
  readonly value: Json;
  /** The value is a list whose members answer to the declared schema one by one. */
  readonly records?: boolean;
  /** What it wrote beside its answer, for people. */
  readonly log?: string;
  readonly warnings: readonly string[];
  /** Secrets were taken out of it. */
  readonly redacted?: boolean;
  /** The answer in parts as MCP has them (text, images, links), where the tool gave it so. */
  readonly parts?: readonly JsonObject[];
  /** What an MCP server wrote beside its answer, for its client. */
  readonly meta?: JsonObject;
}
