// The types of lists: packages, tools, prompts and resources. host.ts exports all of them.
import type { Diagnostic } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { SandboxLevel } from '../../model/sandbox-level.js';
import type { Tool } from '../../model/tool.js';

/** A prompt that clients can list and get. */
export interface ListedPrompt {
  /** The name for clients; unique in the session. */
  readonly name: string;
  readonly package: string;
  /**
   * `template`: a tool of the package that fills a text, offered as a prompt too. `server`: from an upstream MCP
   * server.
   */
  readonly kind: 'instructions' | 'skill' | 'template' | 'server';
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Of an upstream MCP server: the entry of its list, under the name above. */
  readonly entry?: JsonObject;
  /** Messages that a user could start with. */
  readonly examples: readonly string[];
  readonly tags: readonly string[];
}

/** A resource, or a resource template, of an upstream MCP server. */
export interface ListedResource {
  /** `upstream://PACKAGE/SERVER/` and the server's own URI. For a template: a URI template. */
  readonly uri: string;
  readonly package: string;
  readonly isTemplate: boolean;
  /** The entry of the server's list, with `uri` or `uriTemplate` replaced by the one above. */
  readonly entry: JsonObject;
}

/** What the MCP servers of a package say to those who use it. Part of what the operator accepted. */
export interface PackageInstructions {
  readonly package: string;
  readonly text: string;
}

/** Asks a server for values of one argument of a prompt or of a resource template. */
export interface CompletionRequest {
  /** A name of `prompts()`, or a `uri` of a template of `resources()`. */
  readonly of: { readonly prompt: string } | { readonly resource: string };
  /** What the user has written so far. */
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are known already. */
  readonly known: Readonly<Record<string, string>>;
}

/** Values to choose from, best first. `total`: how many there are, if the server says so. */
export interface ArgumentValues {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** An argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** Only the tools of a `ready` package can be called. */
export type PackageStateName =
  | 'ready'
  | 'needs-setup'
  | 'unavailable'
  | 'needs-review'
  | 'disabled'
  | 'broken'
  | 'killed';

/** One package, with its state and the reasons for it. */
export interface PackageState {
  /** Null if the manifest is broken and has no id. */
  readonly id: string | null;
  readonly version: string;
  readonly format: string;
  /** Absolute path of the manifest. */
  readonly path: string;
  readonly state: PackageStateName;
  /** Why the package is in this state, with the next step. A ready package may have remarks here. */
  readonly reasons: readonly string[];
  /** The reason that is the command to run next, if there is one. */
  readonly nextStep?: string;
  /** True: its programs announced changes that nobody accepted yet. What did not change can still be called. */
  readonly announcedChanges?: true;
  readonly sandbox: SandboxLevel;
  /** What the operator narrowed it to; one line each. */
  readonly narrowed?: readonly string[];
  /** Without tools that need review. */
  readonly tools: readonly {
    readonly name: string;
    readonly exposed: string;
    readonly description: string;
  }[];
  /** Upstreams that were used since the host started. */
  readonly programs?: readonly ProgramState[];
  /** The parsed manifest. Absent if the package is broken. */
  readonly package?: Package;
  /** SHA-256 of the parsed manifest and all files, in hex. */
  readonly digest?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** The state of an upstream for this caller. */
export interface ProgramState {
  readonly name: string;
  readonly state: 'stopped' | 'starting' | 'running' | 'backoff' | 'failed';
  /** Why it is not running although it should be. */
  readonly reason?: string;
  /** How often it exited unexpectedly since it last ran stably. */
  readonly exits: number;
}

/** All packages of a session. Packages that cannot be used are listed too, with the reason. */
export interface PackageReport {
  readonly packages: readonly PackageState[];
  /** The set of the session: only what it shows is listed. Absent: the session has no set. */
  readonly set?: ReportedSet;
  readonly summary: {
    /** Files that were looked at. */
    readonly scanned: number;
    readonly found: number;
    /** Manifests inside a package of the same format; they are part of that package. */
    readonly nested: number;
    readonly invalid: number;
    readonly disabled: number;
    readonly unavailable: number;
  };
}

/** A tool that can be called now. */
export interface ListedTool {
  /** `package/tool`. */
  readonly name: string;
  /** The name for clients that allow no slash in tool names. */
  readonly exposed: string;
  readonly tool: Tool;
  /** Digest of the tool's definition and of what a set changes about it. An approval applies to this version only. */
  readonly definition: string;
  /** Whether `exposed` is a name that the set of the session gave it. */
  readonly renamed?: boolean;
  /** Arguments that the set of the session fixes. They are not in the input schema. */
  readonly fixed?: JsonObject;
}

/** The set of a session. */
export interface ReportedSet {
  readonly name: string;
  /** `binding`: of the caller. `session`: the session names it. `workspace`, `everyone`: it is loaded there. */
  readonly source: 'binding' | 'session' | 'workspace' | 'everyone';
  /** SHA-256 of the set. */
  readonly digest: string;
  /** False if it is missing or damaged; nothing is shown then. */
  readonly readable: boolean;
}
