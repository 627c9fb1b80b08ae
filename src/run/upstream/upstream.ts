import type { AnnouncedTool } from '../../model/action.js';
import type { AnnouncedApp } from '../../model/app-resource.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { HookPoint, Package } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { ServerRequestKind } from '../../model/server-request.js';
import type { SlotValues } from '../../model/slot.js';
import type { NetworkReach } from '../../net/destination.js';
import type { HttpClient } from '../../net/http-client.js';
import type { AskedClient, CallerContext, CallLogging, ClientRequests, Progress, RunResult } from '../run.js';
import type { SandboxProfile } from '../sandbox-command.js';
import type { ProcessServices } from '../sandboxed-process.js';
import type { AccessTokens } from './access-tokens.js';

/** A running program that serves many calls: an extension or an MCP server. */
export interface Upstream {
  /** Its announcement at the start. */
  readonly announced: UpstreamAnnouncement;
  call(call: UpstreamCall): Promise<RunResult>;
  /** Calls a hook. The result is untrusted. */
  hook?(point: HookPoint, event: JsonObject, deadline: Deadline): Promise<Json>;
  /** `client`: whom it may ask something. */
  prompt?(name: string, args: JsonObject, deadline: Deadline, client?: AskedClient): Promise<Json>;
  resource?(uri: string, deadline: Deadline, client?: AskedClient): Promise<Json>;
  /** Values for an argument: the result of MCP's `completion/complete`. `params.ref` names the prompt or template. */
  complete?(params: JsonObject, deadline: Deadline): Promise<Json>;
  /** Watches a resource; resolves when the program has agreed. `onUpdate`: called with its address, or that of a part of it. */
  subscribe?(uri: string, onUpdate: (uri: string) => void, deadline: Deadline): Promise<ResourceSubscription>;
  /** Its current announcement, if its tools can change while it runs. */
  announce?(deadline: Deadline): Promise<UpstreamAnnouncement>;
  /** Resolves when it has exited or is unusable; never rejects. Pending calls have failed by then. */
  readonly ended: Promise<UpstreamEnd>;
  /** Asks it to stop, waits a grace period, then kills it. */
  close(reason: string): Promise<void>;
  /** Kills it immediately; a program that runs elsewhere is only disconnected. */
  kill?(): void;
}

/** A resource that is watched. */
export interface ResourceSubscription {
  /** Resolves when the program stopped to report updates. The end of the program also ends it, but not this. */
  readonly ended: Promise<void>;
  end(): void;
}

export interface UpstreamAnnouncement {
  readonly version?: string;
  readonly tools: readonly AnnouncedTool[];
  readonly hooks: readonly HookPoint[];
  readonly prompts?: readonly JsonObject[];
  readonly resources?: readonly JsonObject[];
  /** MCP resource templates. */
  readonly templates?: readonly JsonObject[];
  /** The pages of MCP Apps. Absent if there are none. */
  readonly apps?: readonly AnnouncedApp[];
  /** The negotiated protocol revision. The host stores it and passes it as `lastRevision` the next time. */
  readonly revision?: string;
  /** Instructions of the server for its users. */
  readonly instructions?: string;
}

export interface UpstreamEnd {
  /** `requested`: the host stopped or disconnected it. */
  readonly kind: 'requested' | 'exited' | 'protocol-error' | 'unreachable';
  /** One sentence, for messages. */
  readonly reason: string;
}

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal: CancelSignal;
}

export interface UpstreamCall extends Deadline {
  readonly tool: string;
  readonly input: JsonObject;
  /** For messages: `package/tool`. */
  readonly name: string;
  readonly callId: string;
  readonly idempotencyKey?: string | undefined;
  readonly outputBytes: number;
  /** The caller, for programs that request it; replaces any value in the arguments. */
  readonly caller: CallerContext;
  readonly onNetworkDenied: (hosts: readonly string[]) => void;
  /** See `RunRequest`. */
  readonly onNetworkUsed?: ((hosts: readonly string[]) => void) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** See `RunRequest`. */
  readonly meta?: JsonObject | undefined;
  /** See `RunRequest`. */
  readonly logging?: CallLogging | undefined;
  /** See `RunRequest`. */
  readonly apps?: 'shown' | 'hidden' | undefined;
  /** Asks the user a question of the server; undefined: the question is declined. */
  readonly onAsk?: ((question: JsonObject) => Promise<JsonObject>) | undefined;
  /** See `RunRequest`. */
  readonly onTask?: (() => void) | undefined;
  /** See `RunRequest`. */
  readonly clientRequests?: ClientRequests | undefined;
}

/** Everything needed to connect to a program, with `run/nexo/connect.ts` or `run/mcp/connect.ts`. */
export interface UpstreamSettings extends Deadline {
  readonly package: Package;
  readonly program: Program;
  readonly agentVersion: string;
  readonly slots: SlotValues;
  /** The sandbox profile; called only for a program that the host starts. */
  readonly openProfile: () => Promise<SandboxProfile>;
  readonly processServices: ProcessServices;
  /** For a program at a URL. */
  readonly client: HttpClient;
  readonly reach: NetworkReach;
  /** For an MCP server at a URL whose manifest has no credential for it. */
  readonly tokens?: AccessTokens | undefined;
  /** URL of the operator's NATS server; null if none is configured. */
  readonly natsUrl: string | null;
  /** The protocol revision of the last connection, which makes the handshake shorter. */
  readonly lastRevision?: string | undefined;
  /** What an MCP server may ask of the client of a call; announced to it when it starts. */
  readonly serverRequests?: readonly ServerRequestKind[] | undefined;
  /** The workspace of the session: an absolute path. For a program that does not run here. */
  readonly workspace?: string | undefined;
  /** Called with each log line that it prints. */
  readonly onLog: (line: string) => void;
  /** Called when its tools, prompts or resources may have changed; reports at about the same time are one call. */
  readonly onChange: () => void;
  /** Called at once when its announcement may be outdated, before any later message is handled. */
  readonly onOutdated: () => void;
}

export type ConnectUpstream = (settings: UpstreamSettings) => Promise<Upstream>;
