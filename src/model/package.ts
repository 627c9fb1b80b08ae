import type { AnnouncedTool } from './action.js';
import type { Guardrails } from './guardrails.js';
import type { Json } from './json.js';
import type { Cost, InstallPlan, KillSwitch, Smoke } from './lifecycle.js';
import type { Permissions } from './permissions.js';
import type { Program } from './program.js';
import type { Slot } from './slot.js';
import type { Tool } from './tool.js';

/** Where the words of a prompt are. `file`: inside the bundle. */
export type PromptBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** `instructions` speak for the whole package; `skill` is one named piece of know-how. Neither is ever run. */
export interface Prompt {
  readonly kind: 'instructions' | 'skill';
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: PromptBody;
  readonly examples: readonly string[];
  readonly tags: readonly string[];
  /** Shown before the others. */
  readonly first: boolean;
}

export const hookPoints = ['before_message', 'after_message', 'before_tool_call', 'after_tool_call'] as const;

export type HookPoint = (typeof hookPoints)[number];

/** A program that wants to be asked at a point of the conversation. Lower priority goes first. */
export interface Hook {
  readonly point: HookPoint;
  readonly program: string;
  readonly priority: number;
}

/** What the machine must have; anything missing gates the package with a reason. */
export interface Needs {
  readonly binaries: readonly string[];
  /** Lowest version of the host, as its format counts versions. */
  readonly hostVersion?: string;
}

/** A field that is kept and shown, and that the host does not act on. */
export interface Fact {
  readonly label: string;
  readonly value: Json;
}

/** One distributable unit as this host understands it: frozen, plain, serializable. */
export interface Package {
  /** The front end that read it; shown to people, never asked by the host. */
  readonly format: string;
  readonly id: string;
  /** `0.0.0` when the manifest has none. */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly programs: readonly Program[];
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly hooks: readonly Hook[];
  readonly needs: Needs;
  readonly slots: readonly Slot[];
  readonly permissions: Permissions;
  readonly guardrails: Guardrails;
  readonly install: InstallPlan;
  readonly smoke?: Smoke;
  readonly killSwitch?: KillSwitch;
  readonly cost?: Cost;
  /** Tools of its programs appear only when they run (MCP servers, extensions). */
  readonly announces: boolean;
  /** Clients the author made it for. */
  readonly targets: readonly string[];
  /** A folder of the bundle with a static page, shown by the console. */
  readonly interface?: string;
  /** Author, licence, tags, support and the like, in the order of the manifest. */
  readonly facts: readonly Fact[];
}

/** A package with what its programs announced: this is what is pinned, granted and listed. */
export interface Catalog {
  readonly package: Package;
  readonly announced: readonly Announcement[];
  /** SHA-256 over the canonical form of the package, its files and the announcements. */
  readonly digest: string;
}

export interface Announcement {
  readonly program: string;
  readonly tools: readonly AnnouncedTool[];
  readonly hooks: readonly HookPoint[];
}
