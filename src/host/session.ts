import { HostError } from '../model/host-error.js';
import type { Verdict } from '../sandbox/sandbox.js';
import { acceptReview, agree } from './agreements.js';
import { announcementReview } from './announcement-review.js';
import { type LoadedFolder, loadPackages } from './catalog.js';
import type { HookHandler } from './hooks.js';
import type { Change, InstallOptions, ListedTool, PackageReport, Review } from './host.js';
import { registryReach } from './images.js';
import { installAll } from './install.js';
import type { VerifiedActor } from './operator-auth.js';
import { type PackageStatusServices, packageStatus, packageStatusBeforePrograms } from './package-status.js';
import { PackageUpstreams } from './package-upstreams.js';
import { profileInputsFor } from './profile-inputs.js';
import { type OfferedPrompt, offeredPrompts } from './prompts.js';
import { type Judged, judgeAll, type PackageStatus } from './readiness.js';
import type { Reading } from './reading.js';
import { differences, keepGood, nothingFound } from './reload.js';
import { reportOf } from './report.js';
import { findPackage, findTool, namedPackage, noSuchTool } from './resolution.js';
import type { ProfileInputs } from './sandbox-profile.js';
import { type CallableTool, notReady } from './served-tool.js';
import { serveAll } from './serving.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import type { ServedTool } from './tool.js';
import {
  resourceReading,
  type UpstreamResource,
  upstreamPrompts,
  upstreamResources,
} from './upstream-content.js';
import { hasHooks, hasUpstreams } from './upstream-program.js';

/** The packages of one session with their state, and the tools it may call. */
export class SessionCatalog {
  readonly #setup: SessionSetup;
  readonly #machinery: SessionServices;
  #found: LoadedFolder;
  readonly #verdict: Verdict;
  #judged: readonly Judged[] = [];
  /** Of these, those with hooks, and those whose tools are told by a program. */
  #watching: readonly Judged[] = [];
  #elsewhere: readonly Judged[] = [];
  #served: readonly ServedTool[] = [];
  readonly #announcing: PackageUpstreams;
  /** Of what programs said, when the tools were listed. */
  #version = -1;

  private constructor(
    setup: SessionSetup,
    machinery: SessionServices,
    found: LoadedFolder,
    verdict: Verdict,
  ) {
    this.#setup = setup;
    this.#machinery = machinery;
    this.#found = found;
    this.#verdict = verdict;
    this.#announcing = new PackageUpstreams(machinery, setup, {
      lending: (id) => this.#lending(id),
      isPublic: (id, slot) => this.#isPublic(id, slot),
    });
  }

  static async open(setup: SessionSetup, machinery: SessionServices): Promise<SessionCatalog> {
    // The sandbox is tried by a process of its own, which runs while the packages are read.
    const [verdict, found] = await Promise.all([
      machinery.sandbox.probe(),
      loadPackages(setup, machinery.understandings),
    ]);
    const catalog = new SessionCatalog(setup, machinery, found, verdict);
    await catalog.#judge();
    await catalog.#catchUp(true);
    return catalog;
  }

  /** Reads the packages again. What breaks stays as it was; tells what is different, a sentence each. */
  async reload(): Promise<readonly string[]> {
    const read = await loadPackages(this.#setup, this.#machinery.understandings).catch(nothingFound);
    const found = keepGood(this.#found, read);
    const lines = differences(this.#found, found);
    if (lines.length === 0) return [];
    const gone = digestsOf(this.#found).filter((it) => !digestsOf(found).includes(it));
    this.#found = found;
    await this.#judge();
    await this.keepCopies();
    await this.#catchUp(true);
    this.#machinery.remote.remotes.retire((it) => gone.includes(it.digest));
    return lines;
  }

  /** Copies of the files as they are now, so that a later edit that breaks them can be sat out. */
  async keepCopies(next: () => Promise<boolean> = async () => true): Promise<void> {
    for (const { loaded, fixed } of this.#judged) {
      if (loaded.catalog === undefined || loaded.stale !== undefined || fixed?.state === 'needs-review')
        continue;
      if (!(await next())) return;
      // An edit that comes in between is noticed, and read again.
      await this.#machinery.stage.place(loaded).catch(() => {});
    }
  }

  get setup(): SessionSetup {
    return this.#setup;
  }

  async report(): Promise<PackageReport> {
    await this.#catchUp(false);
    const standings = await this.#standings();
    return reportOf(
      this.#judged,
      standings,
      this.#served,
      this.#found,
      this.#verdict,
      this.#machinery.sandbox,
      (it) => this.#announcing.programs(it),
      this.#machinery.containers.verdict,
    );
  }

  /** What can be called now, in a fixed order. */
  async tools(): Promise<readonly ListedTool[]> {
    await this.#catchUp(false);
    const standings = await this.#standings();
    return this.#served
      .filter((it) => standings.get(it.judged)?.state === 'ready' && it.tool.action !== null && !it.held)
      .filter((it) => this.#killed(it.package.id, it.tool.name) === undefined)
      .map(({ name, exposed, tool, digest }) => ({ name, exposed, tool, definition: digest }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async resolve(name: string): Promise<CallableTool> {
    await this.#catchUp(false);
    const found = findTool(this.#served, name);
    if (found !== undefined) return found;
    // It may be a tool of a program that nobody asked yet.
    await this.#catchUp(true);
    const late = findTool(this.#served, name);
    if (late !== undefined) return late;
    const silent = namedPackage(this.#judged, name);
    const standing = silent === undefined ? undefined : await this.#standingNow(silent);
    if (silent !== undefined && standing !== undefined && standing.state !== 'ready') {
      if (!this.#served.some((it) => it.judged === silent)) throw notReady(name, standing);
    }
    throw noSuchTool(this.#served, this.#judged, name);
  }

  async prompts(): Promise<readonly OfferedPrompt[]> {
    const ready = await this.#ready();
    const own = upstreamPrompts(ready, this.#announcing);
    return offeredPrompts(ready, this.#served, this.#machinery.stage, own, this.#announcing);
  }

  async resources(): Promise<readonly UpstreamResource[]> {
    return upstreamResources(await this.#ready(), this.#announcing);
  }

  /** Undefined when no server here has it. */
  async resource(uri: string): Promise<Reading | undefined> {
    return resourceReading(uri, await this.resources(), this.#announcing);
  }

  get isWatched(): boolean {
    return this.#watching.length > 0;
  }

  async #ready(): Promise<Judged[]> {
    await this.#catchUp(false);
    const standings = await this.#standings();
    return this.#judged.filter((it) => standings.get(it)?.state === 'ready');
  }

  /** Extensions that want to be asked about calls and messages, in the order in which they were found. */
  async hooks(): Promise<readonly HookHandler[]> {
    if (!this.isWatched) return [];
    await this.#catchUp(false);
    const standings = await this.#standings();
    const ready = this.#watching.filter((it) => standings.get(it)?.state === 'ready');
    return ready.flatMap((it) => this.#announcing.hooks(it));
  }

  async review(id: string): Promise<Review> {
    const judged = findPackage(this.#judged, id);
    const { loaded, held } = judged;
    if (held !== undefined) return held.review;
    const waiting = this.#announcing.waiting(judged);
    if (waiting.size > 0) return announcementReview(judged, waiting);
    const { catalog, file } = loaded;
    const digest = catalog?.digest ?? '';
    return { package: id, path: file, from: digest, to: digest, widened: [], reworded: [], narrowed: [] };
  }

  async accept(id: string, digest: string, who: VerifiedActor): Promise<void> {
    const judged = findPackage(this.#judged, id);
    const waiting = this.#announcing.waiting(judged);
    const review = await this.review(id);
    if (judged.held === undefined && waiting.size === 0)
      throw new HostError('usage', `nothing about ${id} waits for your agreement`);
    if (review.to !== digest) {
      throw new HostError('integrity', `${id} is not what was shown: its digest is ${review.to}`, {
        hint: `look again: toolwharf review ${id}`,
      });
    }
    await acceptReview(judged.loaded, review, who, this.#machinery.agreements);
    if (judged.held === undefined) await this.#announcing.accept(judged, waiting);
    await this.#judge();
    this.#machinery.changed();
  }

  async install(id: string, options: InstallOptions): Promise<Change> {
    const { fixed, needs } = findPackage(this.#judged, id);
    if (fixed !== null) throw notReady(id, fixed);
    const steps = await installAll(
      needs,
      { principal: this.#setup.principal, package: id },
      this.#machinery,
      registryReach(this.#lending(id)),
      options,
    );
    this.#machinery.changed();
    return { package: id, steps };
  }

  async #judge(): Promise<void> {
    const { named, principal, policy } = this.#setup;
    const { loaded } = this.#found;
    const { agreements, find, containers } = this.#machinery;
    const held = await agree(named, loaded, principal, agreements);
    this.#judged = judgeAll(loaded, { policy, held, verdict: this.#verdict, find, containers });
    const able = this.#judged.filter((it) => it.fixed === null);
    this.#watching = able.filter(hasHooks);
    this.#elsewhere = able.filter(hasUpstreams);
    await this.#announcing.load(this.#judged);
    this.#list();
  }

  /** Asks programs that never said what they can do, and lists what is known by now. */
  async #catchUp(wait: boolean): Promise<void> {
    const unknown = this.#elsewhere.filter((it) => this.#announcing.isUnknown(it));
    if (unknown.length > 0) {
      const off = await this.#machinery.switches.all();
      const learning: Promise<void>[] = [];
      for (const it of unknown) {
        const { state } = await packageStatusBeforePrograms(it, off, this.#standingRoad);
        if (state === 'ready') learning.push(this.#announcing.learn(it));
      }
      if (wait) await Promise.all(learning);
    }
    if (this.#version !== this.#machinery.remote.book.version) this.#list();
  }

  #list(): void {
    this.#version = this.#machinery.remote.book.version;
    this.#served = serveAll(this.#judged, {
      machinery: this.#machinery,
      setup: this.#setup,
      standing: (it) => this.#standingNow(it),
      lending: (id) => this.#lending(id),
      isPublic: (id, slot) => this.#isPublic(id, slot),
      announcing: this.#announcing,
    });
  }

  /** Only the word of a package that somebody agreed to counts. */
  #isPublic(id: string, slot: string): boolean {
    return this.#judged.some(({ held, loaded: { catalog } }) => {
      if (held !== undefined || catalog?.package.id !== id) return false;
      return catalog.package.slots.some((it) => it.name === slot && !it.secret);
    });
  }

  get #standingRoad(): PackageStatusServices {
    return { machinery: this.#machinery, setup: this.#setup, announcing: this.#announcing };
  }

  async #standings(): Promise<ReadonlyMap<Judged, PackageStatus>> {
    const off = await this.#machinery.switches.all();
    const standings = new Map<Judged, PackageStatus>();
    for (const it of this.#judged) standings.set(it, await packageStatus(it, off, this.#standingRoad));
    return standings;
  }

  async #standingNow(judged: Judged): Promise<PackageStatus> {
    return packageStatus(judged, await this.#machinery.switches.all(), this.#standingRoad);
  }

  #killed(id: string, tool?: string): string | undefined {
    return this.#machinery.kills.reasonFor({ principal: this.#setup.principal, package: id, tool });
  }

  #lending(id: string): ProfileInputs {
    return profileInputsFor(id, this.#judged, this.#setup, this.#machinery);
  }
}

function digestsOf({ loaded }: LoadedFolder): string[] {
  return loaded.flatMap((it) => it.catalog?.digest ?? []);
}
