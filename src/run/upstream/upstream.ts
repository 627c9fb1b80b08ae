import type { AnnouncedTool } from '../../model/action.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { HookPoint, Package } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { Signal } from '../../model/signal.js';
import type { SlotValues } from '../../model/slot.js';
import type { HttpClient } from '../../net/client.js';
import type { Reach } from '../../net/destination.js';
import type { SandboxProfile } from '../launch.js';
import type { RunResult } from '../run.js';
import type { ProcessServices } from '../spawn.js';

/** A program that is up and can be asked again and again: an extension, an MCP server. */
export interface Upstream {
  /** What it said of itself when it came up. */
  readonly announced: UpstreamAnnouncement;
  call(call: UpstreamCall): Promise<RunResult>;
  /** Asks it at a point of the conversation; its own words come back, and nothing of them is trusted. */
  hook?(point: HookPoint, event: JsonObject, patience: Deadline): Promise<Json>;
  prompt?(name: string, given: JsonObject, patience: Deadline): Promise<Json>;
  resource?(uri: string, patience: Deadline): Promise<Json>;
  /** What it says of itself now, for one whose tools can change while it is up. */
  announce?(patience: Deadline): Promise<UpstreamAnnouncement>;
  /** Settles, and never rejects, when it is gone or of no use any more. Pending calls have failed by then. */
  readonly ended: Promise<UpstreamEnd>;
  /** Tells it to stop, gives it a moment, then ends it. */
  close(reason: string): Promise<void>;
  /** Ends it at once; for a program that answers elsewhere, that is to ask it nothing more. */
  kill?(): void;
}

export interface UpstreamAnnouncement {
  readonly version?: string;
  readonly tools: readonly AnnouncedTool[];
  readonly hooks: readonly HookPoint[];
  readonly prompts?: readonly JsonObject[];
  readonly resources?: readonly JsonObject[];
  /** Addresses with holes, as MCP has them. */
  readonly templates?: readonly JsonObject[];
  /** The revision it was found to speak. Kept by the host, and given back as `prior` the next time. */
  readonly revision?: string;
  /** What the server says of itself to whoever uses it. */
  readonly instructions?: string;
}

export interface UpstreamEnd {
  /** `asked`: it was told to. */
  readonly kind: 'asked' | 'exited' | 'garbled' | 'unreachable';
  /** One sentence for people. */
  readonly reason: string;
}

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal: Signal;
}

export interface UpstreamCall extends Deadline {
  readonly tool: string;
  readonly input: JsonObject;
  /** For messages: `package/tool`. */
  readonly name: string;
  readonly callId: string;
  readonly outputBytes: number;
  /** Who is calling; given to programs that want it, over whatever the caller wrote there. */
  readonly caller: CallerContext;
  readonly onRefused: (hosts: readonly string[]) => void;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Puts a question of the server to the person behind the caller; where there is none it is declined. */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
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

/** What a program is reached with. One function per protocol takes it: `run/nexo/connect.ts`, `run/mcp/connect.ts`. */
export interface UpstreamSettings extends Deadline {
  readonly package: Package;
  readonly program: Program;
  readonly agentVersion: string;
  readonly slots: SlotValues;
  /** For a program that is started here; asked for only then. */
  readonly confined: () => Promise<SandboxProfile>;
  readonly machine: ProcessServices;
  /** For a program that answers elsewhere. */
  readonly client: HttpClient;
  readonly reach: Reach;
  /** Where the operator's NATS server is; null when there is none. */
  readonly natsUrl: string | null;
  /** The revision that it spoke the last time, so that nobody has to find out again. */
  readonly prior?: string | undefined;
  /** What it prints beside the protocol, line by line, for people. */
  readonly onLog: (line: string) => void;
  /** Its tools, prompts or resources may be others now. */
  readonly onChange: () => void;
}

export type ConnectUpstream = (setting: UpstreamSettings) => Promise<Upstream>;
