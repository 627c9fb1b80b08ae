import { HostError } from '../model/host-error.js';
import type { ProbeResult } from '../sandbox/sandbox.js';
import { acceptReview, agreeToPackages } from './agreements.js';
import { announcementReview } from './announcement-review.js';
import { type CallableTool, notReadyError } from './callable-tool.js';
import { type CheckedPackage, checkPackages, type PackageStatus } from './checked-package.js';
import { registryAccess } from './container-images.js';
import type { ReadableContent } from './content-reader.js';
import type { HookHandler } from './hooks.js';
import type { InstallOptions, InstallResult, ListedTool, PackageReport, PackageReview } from './host.js';
import { installPrograms } from './install.js';
import { type LoadResult, loadPackages } from './loaded-package.js';
import type { VerifiedActor } from './operator-auth.js';
import { reportOf } from './package-report.js';
import {
  type PackageStatusServices,
  packageStatus,
  packageStatusWithoutUpstreams,
} from './package-status.js';
import { PackageUpstreams } from './package-upstreams.js';
import { type ProfileInputs, profileInputsFor } from './profile-inputs.js';
import { type OfferedPrompt, offeredPrompts } from './prompts.js';
import { differences, emptyIfNotFound, keepLastValid } from './reload.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import type { SessionTool } from './session-tool.js';
import { createSessionTools } from './session-tools.js';
import { findPackage, findTool, packageNamedBy, toolNotFound } from './tool-lookup.js';
import {
  resourceReading,
  type UpstreamResource,
  upstreamPrompts,
  upstreamResources,
} from './upstream-content.js';
import { hasHooks, hasUpstreams } from './upstream-program.js';

/** The packages of one session with their status, and the tools, prompts and resources they offer. */
export class SessionCatalog {
  readonly #setup: SessionSetup;
  readonly #services: SessionServices;
  #loaded: LoadResult;
  readonly #sandboxProbe: ProbeResult;
  #packages: readonly CheckedPackage[] = [];
  /** The packages with hooks, and those with upstreams. */
  #withHooks: readonly CheckedPackage[] = [];
  #withUpstreams: readonly CheckedPackage[] = [];
  #tools: readonly SessionTool[] = [];
  readonly #upstreams: PackageUpstreams;
  /** Version of the announcements from which `#tools` was built. */
  #announcementVersion = -1;

  private constructor(
    setup: SessionSetup,
    services: SessionServices,
    loaded: LoadResult,
    sandboxProbe: ProbeResult,
  ) {
    this.#setup = setup;
    this.#services = services;
    this.#loaded = loaded;
    this.#sandboxProbe = sandboxProbe;
    this.#upstreams = new PackageUpstreams(services, setup, {
      profileInputs: (id) => this.#profileInputs(id),
      isPublic: (id, slot) => this.#isPublic(id, slot),
    });
  }

  static async open(setup: SessionSetup, services: SessionServices): Promise<SessionCatalog> {
    // The sandbox test is a separate process, which runs while the packages are loaded.
    const [sandboxProbe, loaded] = await Promise.all([
      services.sandbox.probe(),
      loadPackages(setup, services.parseCache),
    ]);
    const catalog = new SessionCatalog(setup, services, loaded, sandboxProbe);
    await catalog.#check();
    await catalog.#refreshTools(true);
    return catalog;
  }

  /**
   * Loads the packages again. A package that an edit broke keeps its last valid version. Returns a sentence per
   * change.
   */
  async reload(): Promise<readonly string[]> {
    const now = await loadPackages(this.#setup, this.#services.parseCache).catch(emptyIfNotFound);
    const loaded = keepLastValid(this.#loaded, now);
    const lines = differences(this.#loaded, loaded);
    if (lines.length === 0) return [];
    const removed = digestsOf(this.#loaded).filter((it) => !digestsOf(loaded).includes(it));
    this.#loaded = loaded;
    await this.#check();
    await this.stagePackages();
    await this.#refreshTools(true);
    this.#services.upstreams.connections.retire((it) => removed.includes(it.digest));
    return lines;
  }

  /**
   * Copies the current files of packages to the stage, so that calls still work after an edit that breaks them.
   * `next` is called before each package; false stops.
   */
  async stagePackages(next: () => Promise<boolean> = async () => true): Promise<void> {
    for (const { loaded, blocked } of this.#packages) {
      if (loaded.catalog === undefined || loaded.stale !== undefined || blocked?.state === 'needs-review')
        continue;
      if (!(await next())) return;
      // Fails if the files were edited in between; that edit causes a reload.
      await this.#services.stage.folderFor(loaded).catch(() => {});
    }
  }

  get setup(): SessionSetup {
    return this.#setup;
  }

  async report(): Promise<PackageReport> {
    await this.#refreshTools(false);
    const statuses = await this.#statuses();
    return reportOf(
      this.#packages,
      statuses,
      this.#tools,
      this.#loaded,
      this.#sandboxProbe,
      this.#services.sandbox,
      (it) => this.#upstreams.programStates(it),
      this.#services.containers.lastProbe,
    );
  }

  /** The tools that can be called now, sorted by name. */
  async tools(): Promise<readonly ListedTool[]> {
    await this.#refreshTools(false);
    const statuses = await this.#statuses();
    return this.#tools
      .filter(
        (it) => statuses.get(it.checked)?.state === 'ready' && it.tool.action !== null && !it.needsReview,
      )
      .filter((it) => this.#killed(it.package.id, it.tool.name) === undefined)
      .map(({ name, exposed, tool, digest }) => ({ name, exposed, tool, definition: digest }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async resolve(name: string): Promise<CallableTool> {
    await this.#refreshTools(false);
    const found = findTool(this.#tools, name);
    if (found !== undefined) return found;
    // The tool may belong to an upstream that has not announced its tools yet.
    await this.#refreshTools(true);
    const announced = findTool(this.#tools, name);
    if (announced !== undefined) return announced;
    const named = packageNamedBy(this.#packages, name);
    const status = named === undefined ? undefined : await this.#statusNow(named);
    if (named !== undefined && status !== undefined && status.state !== 'ready') {
      if (!this.#tools.some((it) => it.checked === named)) throw notReadyError(name, status);
    }
    throw toolNotFound(this.#tools, this.#packages, name);
  }

  async prompts(): Promise<readonly OfferedPrompt[]> {
    const ready = await this.#ready();
    const ofUpstreams = upstreamPrompts(ready, this.#upstreams);
    return offeredPrompts(ready, this.#tools, this.#services.stage, ofUpstreams, this.#upstreams);
  }

  async resources(): Promise<readonly UpstreamResource[]> {
    return upstreamResources(await this.#ready(), this.#upstreams);
  }

  /** Undefined if no upstream has the resource. */
  async resource(uri: string): Promise<ReadableContent | undefined> {
    return resourceReading(uri, await this.resources(), this.#upstreams);
  }

  get hasHooks(): boolean {
    return this.#withHooks.length > 0;
  }

  async #ready(): Promise<CheckedPackage[]> {
    await this.#refreshTools(false);
    const statuses = await this.#statuses();
    return this.#packages.filter((it) => statuses.get(it)?.state === 'ready');
  }

  /** The hooks of extensions on calls and messages, in the order of the packages. */
  async hooks(): Promise<readonly HookHandler[]> {
    if (!this.hasHooks) return [];
    await this.#refreshTools(false);
    const statuses = await this.#statuses();
    const ready = this.#withHooks.filter((it) => statuses.get(it)?.state === 'ready');
    return ready.flatMap((it) => this.#upstreams.hooks(it));
  }

  async review(id: string): Promise<PackageReview> {
    const checked = findPackage(this.#packages, id);
    const { loaded, underReview } = checked;
    if (underReview !== undefined) return underReview.review;
    const waiting = this.#upstreams.waitingAnnouncements(checked);
    if (waiting.size > 0) return announcementReview(checked, waiting);
    const { catalog, file } = loaded;
    const digest = catalog?.digest ?? '';
    return { package: id, path: file, from: digest, to: digest, widened: [], reworded: [], narrowed: [] };
  }

  async accept(id: string, digest: string, who: VerifiedActor): Promise<void> {
    const checked = findPackage(this.#packages, id);
    const waiting = this.#upstreams.waitingAnnouncements(checked);
    const review = await this.review(id);
    if (checked.underReview === undefined && waiting.size === 0)
      throw new HostError('usage', `${id} does not need a review`);
    if (review.to !== digest) {
      throw new HostError('integrity', `${id} changed after the review: its digest is now ${review.to}`, {
        hint: `review it again: toolwharf review ${id}`,
      });
    }
    await acceptReview(checked.loaded, review, who, this.#services.agreements);
    if (checked.underReview === undefined) await this.#upstreams.accept(checked, waiting);
    await this.#check();
    this.#services.notifyChanged();
  }

  async install(id: string, options: InstallOptions): Promise<InstallResult> {
    const { blocked, needs } = findPackage(this.#packages, id);
    if (blocked !== null) throw notReadyError(id, blocked);
    const steps = await installPrograms(
      needs,
      { principal: this.#setup.principal, package: id },
      this.#services,
      registryAccess(this.#profileInputs(id)),
      options,
    );
    this.#services.notifyChanged();
    return { package: id, steps };
  }

  async #check(): Promise<void> {
    const { acceptNewIn, principal, policy } = this.#setup;
    const { loaded } = this.#loaded;
    const { agreements, findInterpreter, containers } = this.#services;
    const underReview = await agreeToPackages(acceptNewIn, loaded, principal, agreements);
    this.#packages = checkPackages(loaded, {
      policy,
      underReview,
      probe: this.#sandboxProbe,
      findInterpreter,
      containers,
    });
    const usable = this.#packages.filter((it) => it.blocked === null);
    this.#withHooks = usable.filter(hasHooks);
    this.#withUpstreams = usable.filter(hasUpstreams);
    await this.#upstreams.load(this.#packages);
    this.#listTools();
  }

  /**
   * Starts upstreams that never announced their tools, and updates the list of tools. `wait`: until they announced
   * them.
   */
  async #refreshTools(wait: boolean): Promise<void> {
    const unknown = this.#withUpstreams.filter((it) => this.#upstreams.hasUnknownTools(it));
    if (unknown.length > 0) {
      const disabled = await this.#services.switches.asSet();
      const fetching: Promise<void>[] = [];
      for (const it of unknown) {
        const { state } = await packageStatusWithoutUpstreams(it, disabled, this.#statusServices);
        if (state === 'ready') fetching.push(this.#upstreams.fetchAnnouncements(it));
      }
      if (wait) await Promise.all(fetching);
    }
    if (this.#announcementVersion !== this.#services.upstreams.announcements.version) this.#listTools();
  }

  #listTools(): void {
    this.#announcementVersion = this.#services.upstreams.announcements.version;
    this.#tools = createSessionTools(this.#packages, {
      services: this.#services,
      setup: this.#setup,
      status: (it) => this.#statusNow(it),
      profileInputs: (id) => this.#profileInputs(id),
      isPublic: (id, slot) => this.#isPublic(id, slot),
      upstreams: this.#upstreams,
    });
  }

  /** Whether a slot is a setting, not a secret. Packages under review do not decide this. */
  #isPublic(id: string, slot: string): boolean {
    return this.#packages.some(({ underReview, loaded: { catalog } }) => {
      if (underReview !== undefined || catalog?.package.id !== id) return false;
      return catalog.package.slots.some((it) => it.name === slot && !it.secret);
    });
  }

  get #statusServices(): PackageStatusServices {
    return { services: this.#services, setup: this.#setup, upstreams: this.#upstreams };
  }

  async #statuses(): Promise<ReadonlyMap<CheckedPackage, PackageStatus>> {
    const disabled = await this.#services.switches.asSet();
    const statuses = new Map<CheckedPackage, PackageStatus>();
    for (const it of this.#packages)
      statuses.set(it, await packageStatus(it, disabled, this.#statusServices));
    return statuses;
  }

  async #statusNow(checked: CheckedPackage): Promise<PackageStatus> {
    return packageStatus(checked, await this.#services.switches.asSet(), this.#statusServices);
  }

  #killed(id: string, tool?: string): string | undefined {
    return this.#services.kills.reasonFor({ principal: this.#setup.principal, package: id, tool });
  }

  #profileInputs(id: string): ProfileInputs {
    return profileInputsFor(id, this.#packages, this.#setup, this.#services);
  }
}

function digestsOf({ loaded }: LoadResult): string[] {
  return loaded.flatMap((it) => it.catalog?.digest ?? []);
}
