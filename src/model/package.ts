import type { AnnouncedTool } from './action.js';
import type { Guardrails } from './guardrails.js';
import type { Json } from './json.js';
import type { Cost, InstallPlan, KillSwitchPlan, SmokeTest } from './lifecycle.js';
import type { Permissions } from './permissions.js';
import type { Program } from './program.js';
import type { Slot } from './slot.js';
import type { Tool } from './tool.js';

/**
 * Where the text of a prompt is stored. `text`: here. `file`: at a path inside the bundle. `stored`: in the folder or
 * bucket that is the value of a slot, under the first of the keys that exists there.
 */
export type PromptBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stored'; readonly slot: string; readonly keys: readonly string[] };

/**
 * Text for the model. `instructions` apply to the whole package; a `skill` teaches one named task. Prompts are never
 * executed.
 */
export interface Prompt {
  readonly kind: 'instructions' | 'skill';
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly body: PromptBody;
  readonly examples: readonly string[];
  readonly tags: readonly string[];
  /** Listed before the prompts that do not have this flag. */
  readonly first: boolean;
}

export const hookPoints = ['before_message', 'after_message', 'before_tool_call', 'after_tool_call'] as const;

/** A point of the conversation at which the host can run hooks. */
export type HookPoint = (typeof hookPoints)[number];

/** A program that the host asks at one point of the conversation. Hooks with a lower priority run first. */
export interface Hook {
  readonly point: HookPoint;
  readonly program: string;
  readonly priority: number;
}

/** What the machine must provide. If anything is missing, the package is unavailable and the status says why. */
export interface Needs {
  /** Names of executables that must be on the PATH. */
  readonly binaries: readonly string[];
  /** Minimum version of the host, in the version scheme of the package's format. */
  readonly hostVersion?: string;
}

/** A manifest field that is stored and displayed but has no effect on the host. */
export interface Fact {
  readonly label: string;
  readonly value: Json;
}

/** What one manifest declares, in the same form for every format: frozen, plain, serializable data. */
export interface Package {
  /** Name of the format that parsed it. For display only: the host treats all formats alike. */
  readonly format: string;
  readonly id: string;
  /** `0.0.0` when the manifest has no version. */
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
  readonly smoke?: SmokeTest;
  readonly killSwitch?: KillSwitchPlan;
  readonly cost?: Cost;
  /** True when its programs announce tools at run time (MCP servers, extensions). */
  readonly announcesTools: boolean;
  /** Names of the clients that the author made it for. */
  readonly targets: readonly string[];
  /** A static page of the bundle, such as `web/index.html`. The console shows it, with the files of its folder. */
  readonly interface?: string;
  /** What the manifest declares and this host does not serve, such as channels. Absent if there is nothing. */
  readonly notServed?: readonly Fact[];
  /** Author, license, tags, support and similar fields, in the order of the manifest. */
  readonly facts: readonly Fact[];
}

/** A package together with what its programs announced. Agreements, grants and tool lists refer to this. */
export interface Catalog {
  readonly package: Package;
  readonly announced: readonly Announcement[];
  /** SHA-256 of the canonical JSON of the package, its files and the announcements. */
  readonly digest: string;
}

/** The tools and hooks that one program reported when it started. */
export interface Announcement {
  readonly program: string;
  readonly tools: readonly AnnouncedTool[];
  readonly hooks: readonly HookPoint[];
}

const knownPrograms = new WeakMap<Package, readonly Program[]>();

/** The long-running programs of a package, which announce tools or hooks. Each call asks several times. */
export function upstreamPrograms(pkg: Package): readonly Program[] {
  let found = knownPrograms.get(pkg);
  if (found === undefined) {
    found = findUpstreamPrograms(pkg);
    knownPrograms.set(pkg, found);
  }
  return found;
}

function findUpstreamPrograms(pkg: Package): readonly Program[] {
  const used = new Set(
    pkg.tools.flatMap((it) => (it.action?.kind === 'upstream' ? [it.action.program] : [])),
  );
  const withHooks = new Set(pkg.hooks.map((it) => it.program));
  return pkg.programs.filter(
    (it) =>
      (it.protocol === 'mcp' || it.protocol === 'nexo') &&
      (it.role === 'mcp-server' || it.role === 'extension') &&
      (pkg.announcesTools || used.has(it.name) || withHooks.has(it.name)),
  );
}
