import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';

/** One execution of a tool's action: everything is decided, nothing is asked any more. */
export interface RunRequest {
  readonly package: Package;
  readonly tool: Tool;
  /** Frozen; the digest in the record is of exactly this. */
  readonly input: JsonObject;
  readonly callId: string;
  /** Folder with the package's files as they were checked. */
  readonly files: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a tool answered. A failure is thrown as a HostError with the tool's words. */
export interface RunResult {
  readonly value: Json;
  /** What it wrote beside its answer, for people. */
  readonly log?: string;
  readonly warnings: readonly string[];
}
