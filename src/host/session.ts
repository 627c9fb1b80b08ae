import type { EnvironmentStore } from '../environment/store.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import type { JsonSchema } from '../model/json.js';
import { type Grants, grantFor } from '../policy/grant.js';
import type { Sandbox, Verdict } from '../sandbox/sandbox.js';
import type { SchemaValidator } from '../schema/validator.js';
import { missingValues } from '../secrets/missing.js';
import type { Vault } from '../secrets/vault.js';
import type { SwitchedOff } from '../store/switches.js';
import { hiddenTogether, type LoadedFolder, loadPackages } from './catalogue.js';
import type { Lending } from './confine.js';
import type { Change, InstallOptions, ListedTool, PackageReport, Review, SessionPolicy } from './host.js';
import { installAll } from './install.js';
import type { KillSwitch } from './kill-switch.js';
import { exposedNames } from './names.js';
import type { Performer } from './perform.js';
import { type Agreements, acceptReview, agree } from './pinning.js';
import type { Places } from './places.js';
import { type OfferedPrompt, offeredPrompts } from './prompts.js';
import { type Judged, judgeAll, type Standing, uninstalled } from './readiness.js';
import { reportOf } from './report.js';
import type { RunningCalls } from './running.js';
import type { FindInterpreter } from './runtimes.js';
import type { Scanner } from './scanner.js';
import { notReady, type Served } from './served.js';
import { filledSlots } from './slots.js';
import type { Stage } from './stage.js';
import { passedIn, type ServedTool, serveTool, type ToolRoad } from './tool.js';

/** What a session's packages are judged and run with. */
export interface Machinery {
  readonly sandbox: Sandbox;
  readonly performer: Performer;
  readonly stage: Stage;
  readonly places: Places;
  readonly vault: Vault;
  readonly scanner: Scanner;
  readonly switches: SwitchedOff;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  readonly agreements: Agreements;
  readonly environments: EnvironmentStore;
  readonly find: FindInterpreter;
  /** Folders that belong to the host. */
  readonly own: readonly string[];
  readonly homes: readonly string[];
  /** Tells whoever listens that lists may be others now. */
  readonly changed: () => void;
  /** Loaded on the first call: the schema engine costs more than all the rest of a start. */
  readonly schemas: () => Promise<SchemaEngine>;
}

export interface SchemaEngine {
  inputValidator(schema: JsonSchema): SchemaValidator;
  outputValidator(schema: JsonSchema): SchemaValidator;
}

/** What a caller asked for, read and checked. */
export interface SessionSetup {
  readonly principal: string;
  readonly directories: readonly string[];
  readonly root: string;
  readonly grants: Grants;
  /** The grants as they were given. */
  readonly allow: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  readonly parse: ParseOptions;
  readonly looking: boolean;
}

/** The packages of one session with their state, and the tools it may call. */
export class SessionCatalogue {
  readonly #setup: SessionSetup;
  readonly #machinery: Machinery;
  readonly #found: LoadedFolder;
  readonly #verdict: Verdict;
  #judged: readonly Judged[] = [];
  #served: readonly ServedTool[] = [];

  private constructor(setup: SessionSetup, machinery: Machinery, found: LoadedFolder, verdict: Verdict) {
    this.#setup = setup;
    this.#machinery = machinery;
    this.#found = found;
    this.#verdict = verdict;
  }

  static async open(setup: SessionSetup, machinery: Machinery): Promise<SessionCatalogue> {
    const { directories, root, parse, policy } = setup;
    const found = await loadPackages(directories, root, parse, policy);
    const catalogue = new SessionCatalogue(setup, machinery, found, await machinery.sandbox.probe());
    await catalogue.#judge();
    return catalogue;
  }

  async report(): Promise<PackageReport> {
    const standings = await this.#standings();
    return reportOf(
      this.#judged,
      standings,
      this.#served,
      this.#found,
      this.#verdict,
      this.#machinery.sandbox,
    );
  }

  /** What can be called now, in a fixed order. */
  async tools(): Promise<readonly ListedTool[]> {
    const standings = await this.#standings();
    return this.#served
      .filter((it) => standings.get(it.judged)?.state === 'ready' && it.tool.action !== null)
      .filter((it) => this.#killed(it.package.id, it.tool.name) === undefined)
      .map(({ name, exposed, tool }) => ({ name, exposed, tool }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  resolve(name: string): Served {
    const tools = this.#served;
    const found =
      tools.find((it) => it.name === name) ??
      tools.find((it) => it.exposed === name) ??
      soleTool(tools, name);
    if (found !== undefined) return found;
    const [only] = this.#judged;
    if (tools.length === 0 && this.#judged.length === 1 && only?.fixed) throw notReady(name, only.fixed);
    // What is near comes first: tools of the package that was named, and names that are almost the same.
    const near = tools.filter((it) => name.startsWith(`${it.package.id}/`) || it.name.includes(name));
    const shown = [...new Set([...near, ...tools])].slice(0, 8).map((it) => it.name);
    const hint =
      tools.length === 0
        ? 'no package here has tools'
        : `tools here: ${shown.join(', ')}${tools.length > shown.length ? ', …' : ''}`;
    throw new HostError('tool_not_found', `there is no tool ${JSON.stringify(name)}`, { hint });
  }

  async prompts(): Promise<readonly OfferedPrompt[]> {
    const standings = await this.#standings();
    const ready = this.#judged.filter((it) => standings.get(it)?.state === 'ready');
    return offeredPrompts(ready, this.#served, this.#machinery.stage);
  }

  async review(id: string): Promise<Review> {
    const { loaded, held } = this.#package(id);
    if (held !== undefined) return held.review;
    const { catalogue, file } = loaded;
    const digest = catalogue?.digest ?? '';
    return { package: id, path: file, from: digest, to: digest, widened: [], reworded: [], narrowed: [] };
  }

  async accept(id: string, digest: string): Promise<void> {
    const { loaded, held } = this.#package(id);
    if (held === undefined) throw new HostError('usage', `nothing about ${id} waits for your agreement`);
    if (held.review.to !== digest) {
      throw new HostError('integrity', `${id} is not what was shown: its digest is ${held.review.to}`, {
        hint: `look again: toolport review ${id}`,
      });
    }
    await acceptReview(loaded, held.review, this.#setup.principal, this.#machinery.agreements);
    await this.#judge();
    this.#machinery.changed();
  }

  async install(id: string, options: InstallOptions): Promise<Change> {
    const { fixed, needs } = this.#package(id);
    if (fixed !== null) throw notReady(id, fixed);
    const steps = await installAll(
      needs,
      { principal: this.#setup.principal, package: id },
      this.#machinery,
      options,
    );
    this.#machinery.changed();
    return { package: id, steps };
  }

  async #judge(): Promise<void> {
    const { directories, principal, policy, looking } = this.#setup;
    const { loaded } = this.#found;
    const { agreements, find } = this.#machinery;
    const held = await agree(looking ? [] : directories, loaded, principal, agreements);
    this.#judged = judgeAll(loaded, { policy, held, verdict: this.#verdict, find });
    this.#served = this.#serveAll();
  }

  /** A second package of the same id is shown, but its tools have no name of their own to be called by. */
  #serveAll(): ServedTool[] {
    const ids = new Set<string>();
    const listed = this.#judged.flatMap((judged) => {
      const of = judged.loaded.catalogue?.package;
      if (of === undefined || ids.has(of.id)) return [];
      ids.add(of.id);
      return of.tools.map((tool) => ({ judged, of, tool }));
    });
    const names = exposedNames(
      listed.map(({ of, tool }) => ({ packageId: of.id, tool: tool.name, only: of.tools.length === 1 })),
    );
    const road: ToolRoad = {
      machinery: this.#machinery,
      setup: this.#setup,
      standing: (it) => this.#standingNow(it),
      lending: (id) => this.#lending(id),
      isPublic: (id, slot) => this.#isPublic(id, slot),
    };
    return listed.map(({ judged, tool }, index) => serveTool(judged, tool, names[index] as string, road));
  }

  /** Only the word of a package that somebody agreed to counts. */
  #isPublic(id: string, slot: string): boolean {
    return this.#judged.some(({ held, loaded: { catalogue } }) => {
      if (held !== undefined || catalogue?.package.id !== id) return false;
      return catalogue.package.slots.some((it) => it.name === slot && !it.secret);
    });
  }

  #package(id: string): Judged {
    const known = this.#judged.filter((it) => it.loaded.catalogue !== undefined);
    const found = known.find((it) => it.loaded.catalogue?.package.id === id);
    if (found !== undefined) return found;
    const ids = known.map((it) => it.loaded.catalogue?.package.id).slice(0, 8);
    throw new HostError('not_found', `there is no sound package ${JSON.stringify(id)} here`, {
      hint: ids.length === 0 ? 'name the folder that has it with --dir' : `packages here: ${ids.join(', ')}`,
    });
  }

  async #standings(): Promise<ReadonlyMap<Judged, Standing>> {
    const off = new Set(await this.#machinery.switches.list());
    const standings = new Map<Judged, Standing>();
    for (const it of this.#judged) standings.set(it, await this.#standing(it, off));
    return standings;
  }

  async #standingNow(judged: Judged): Promise<Standing> {
    return this.#standing(judged, new Set(await this.#machinery.switches.list()));
  }

  /** What can change while a session lasts is asked anew each time. */
  async #standing(judged: Judged, off: ReadonlySet<string>): Promise<Standing> {
    const of = judged.loaded.catalogue?.package;
    const killed = of === undefined ? undefined : this.#killed(of.id);
    if (killed !== undefined) return { state: 'killed', reasons: [killed], code: 'killed' };
    if (of !== undefined && off.has(of.id))
      return { state: 'disabled', reasons: [`it is switched off. Switch it on: toolport enable ${of.id}`] };
    if (judged.fixed !== null || of === undefined) return judged.fixed ?? { state: 'broken', reasons: [] };
    const { vault, environments } = this.#machinery;
    const filled = await filledSlots(of, vault, passedIn(this.#setup, of.id));
    const reasons = [
      ...missingValues(of, (slot) => filled.has(slot)),
      ...uninstalled(judged, (need) => environments.find(need) !== undefined),
    ];
    return reasons.length > 0
      ? { state: 'needs-setup', reasons }
      : { state: 'ready', reasons: judged.remarks };
  }

  #killed(id: string, tool?: string): string | undefined {
    return this.#machinery.kills.reasonFor({ principal: this.#setup.principal, package: id, tool });
  }

  #lending(id: string): Lending {
    const { principal, grants, root, policy } = this.#setup;
    const grant = grantFor(grants, id);
    // What is granted to nobody by name can only mean the one package there is.
    const sole = this.#judged.filter((it) => it.loaded.catalogue !== undefined).length === 1;
    const { stage, places, environments, sandbox, homes, own } = this.#machinery;
    const packages = hiddenTogether(
      this.#judged.flatMap((it) => it.own),
      this.#setup.directories,
      root,
    );
    return {
      principal,
      grant,
      sole,
      widening: sole ? grant.network : (grants.own.get(id)?.network ?? []),
      workspace: { root, read: grant.read, write: grant.write },
      secret: { homes, own, packages },
      limits: policy.limits ?? {},
      stage,
      places,
      environments,
      user: sandbox.user,
    };
  }
}

/** A package names its only tool, and a tool's own name is enough where no other package has it. */
function soleTool(tools: readonly ServedTool[], name: string): ServedTool | undefined {
  for (const mine of [
    tools.filter((it) => it.package.id === name),
    tools.filter((it) => it.tool.name === name),
  ]) {
    if (mine.length === 1) return mine[0];
  }
  return undefined;
}
