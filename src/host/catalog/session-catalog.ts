import type { ProbeResult } from '../../sandbox/sandbox.js';
import type { CallableTool } from '../call/callable-tool.js';
import type { HookHandler } from '../call/hooks.js';
import type { FirstAcceptance, ListedTool, PackageReport } from '../host.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { agreeToPackages } from '../packages/agreements.js';
import {
  type CheckedPackage,
  checkPackages,
  installedGrants,
  isPublicSlot,
  type PackageStatus,
} from '../packages/checked-package.js';
import { type LoadResult, loadPackages } from '../packages/loaded-package.js';
import type { PackageSource } from '../packages/manifests.js';
import type { InstallOptions, InstallResult, PackageReview } from '../packages/package-change.js';
import { sourceOfPackage } from '../packages/package-source.js';
import { differences, emptyIfNotFound, keepLastValid, removedDigests } from '../packages/reload.js';
import { stageAll } from '../packages/stage.js';
import type { SessionSetup } from '../session-setup.js';
import { PackageUpstreams } from '../upstream/package-upstreams.js';
import { hasHooks, hasUpstreams } from '../upstream/upstream-program.js';
import { FormerTools } from './former-tools.js';
import { NewAgreements } from './new-agreements.js';
import { installPackage } from './package-install.js';
import { reportOf } from './package-report.js';
import { acceptPackage, reviewPackage } from './package-review.js';
import { createPackageRunner, type PackageRunner } from './package-runner.js';
import { type PackageStatusServices, packageStatus, packageStatuses } from './package-status.js';
import { RunningLoad } from './running-load.js';
import { SessionContent } from './session-content.js';
import { SessionProfileInputs } from './session-profile-inputs.js';
import type { SessionServices } from './session-services.js';
import { listedTools, type SessionTool } from './session-tool.js';
import { SessionTools } from './session-tools.js';
import { findPackage, packageNamedBy, toolNotFound } from './tool-lookup.js';
import { fetchUnknownTools, startable } from './unknown-tools.js';

/** The packages of one session with their status, and the tools, prompts and resources they offer. */
export class SessionCatalog {
  readonly setup: SessionSetup;
  readonly content: SessionContent;
  readonly #accept: FirstAcceptance | null;
  readonly #services: SessionServices;
  #loaded: LoadResult;
  /** Only packages need its result, so a session without any does not wait for it. */
  readonly #sandboxProbe: Promise<ProbeResult>;
  #packages: readonly CheckedPackage[] = [];
  readonly #profileInputs: SessionProfileInputs;
  /** The packages with hooks, and those with upstreams. */
  #withHooks: readonly CheckedPackage[] = [];
  #withUpstreams: readonly CheckedPackage[] = [];
  readonly #tools: SessionTools;
  readonly #upstreams: PackageUpstreams;
  readonly #former = new FormerTools();
  readonly #newAgreements: NewAgreements;
  readonly #load = new RunningLoad();

  private constructor(
    setup: SessionSetup,
    accept: FirstAcceptance | null,
    services: SessionServices,
    loaded: LoadResult,
    sandboxProbe: Promise<ProbeResult>,
    newAgreements: NewAgreements,
  ) {
    this.#newAgreements = newAgreements;
    this.#accept = accept;
    this.setup = setup;
    this.#services = services;
    this.#tools = new SessionTools(setup, services);
    this.#loaded = loaded;
    this.#sandboxProbe = sandboxProbe;
    this.#profileInputs = new SessionProfileInputs(this.setup, services.sandboxing);
    this.#upstreams = new PackageUpstreams(services, this.setup, {
      profileInputs: (id) => this.#profileInputs.of(id),
      isPublic: (id, slot) => isPublicSlot(this.#packages, id, slot),
    });
    this.content = new SessionContent({
      ...{ services, setup, tools: this.#tools, upstreams: this.#upstreams },
      ...{ profileInputs: this.#profileInputs, ready: () => this.#ready() },
    });
  }

  static async open(
    setup: SessionSetup,
    accept: FirstAcceptance | null,
    services: SessionServices,
  ): Promise<SessionCatalog> {
    const { agreements, installations } = services.packages;
    const newAgreements = new NewAgreements(agreements.agreements, installations);
    // The sandbox test is a separate process, which runs while the packages are loaded.
    const sandboxProbe = services.sandboxing.sandbox.probe();
    // Those who wait for the result get the error.
    sandboxProbe.catch(() => {});
    const loaded = await loadPackages(setup, accept, services.packages);
    const catalog = new SessionCatalog(setup, accept, services, loaded, sandboxProbe, newAgreements);
    await catalog.#check(accept);
    await catalog.#refreshTools(true);
    return catalog;
  }

  /** Loads the packages again. One that an edit broke keeps its last valid version. Returns a sentence per change. */
  async reload(): Promise<readonly string[]> {
    const before = this.#loaded;
    const lines = await this.#load.run(async () => {
      const now = await loadPackages(this.setup, this.#accept, this.#services.packages).catch(
        emptyIfNotFound,
      );
      const loaded = keepLastValid(this.#loaded, now);
      const changes = differences(this.#loaded, loaded);
      if (changes.length === 0) return [];
      this.#former.remember(this.#tools.shown);
      this.#loaded = loaded;
      await this.#check();
      await this.stagePackages();
      return changes;
    });
    if (lines.length === 0) return [];
    await this.#refreshTools(true);
    const removed = removedDigests(before, this.#loaded);
    this.#services.upstreams.connections.retire((it) => removed.includes(it.digest));
    return lines;
  }

  /**
   * Copies the current files of packages to the stage, so that calls still work after an edit that breaks them.
   * `next` is called before each package; false stops.
   */
  stagePackages(next: () => Promise<boolean> = async () => true): Promise<void> {
    return stageAll(this.#packages, this.#services.sandboxing.stage, next);
  }

  /** Also those that cannot be called now, or that the set hides. */
  get allTools(): readonly SessionTool[] {
    return this.#tools.all;
  }

  async report(): Promise<PackageReport> {
    await this.#refreshTools(false);
    const report = reportOf(
      this.#tools.set.shown(this.#packages),
      await this.#statuses(),
      this.#tools.shown,
      this.#loaded,
      await this.#sandboxProbe,
      this.#services.sandboxing.sandbox,
      (it) => this.#upstreams.programStates(it),
      this.#services.sandboxing.containers.lastProbe,
      (id) => this.setup.narrowingOf(id),
    );
    return this.#tools.set.limit(report);
  }

  /** The tools that can be called now, sorted by name. */
  async tools(): Promise<readonly ListedTool[]> {
    await this.#refreshTools(false);
    const statuses = await this.#statuses();
    return listedTools(this.#tools.shown, ({ checked, package: { id }, tool }) => {
      if (statuses.get(checked)?.state !== 'ready' || !this.#upstreams.hasAnnounced(checked, tool))
        return false;
      const subject = { principal: this.setup.principal, package: id, tool: tool.name };
      return this.#services.kills.reasonFor(subject) === undefined;
    });
  }

  /** `from`: the tool that calls it. It may use all tools of its own package. */
  async resolve(name: string, from?: string): Promise<CallableTool> {
    await this.#refreshTools(false);
    this.#tools.set.assertUsable();
    const found = this.#tools.find(name, from);
    if (found !== undefined) return found;
    // The tool may belong to an upstream that has not announced its tools yet.
    await this.#refreshTools(true);
    const announced = this.#tools.find(name, from);
    if (announced !== undefined) return announced;
    const packages = this.#tools.set.shown(this.#packages);
    const isHidden = (it: CheckedPackage, tool: string) => this.#tools.set.hides(it, tool);
    const named = packageNamedBy(packages, name, isHidden);
    if (named === undefined) await this.#former.assertNotRevoked(name, this.#services.packages.installations);
    const status = named === undefined ? undefined : await this.#statusNow(named);
    const upstreams = this.#upstreams;
    throw toolNotFound(this.#tools.shown, packages, name, { named, status, upstreams, isHidden });
  }

  get hasHooks(): boolean {
    return this.#withHooks.length > 0 || this.#newAgreements.exist;
  }

  async #ready(): Promise<CheckedPackage[]> {
    await this.#refreshTools(false);
    const statuses = await this.#statuses();
    return this.#tools.set.shown(this.#packages).filter((it) => statuses.get(it)?.state === 'ready');
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
    return reviewPackage(findPackage(this.#packages, id), id, this.#upstreams);
  }

  source(id: string): PackageSource {
    return sourceOfPackage(findPackage(this.#packages, id).loaded);
  }

  async accept(id: string, digest: string, who: VerifiedActor): Promise<void> {
    const checked = findPackage(this.#packages, id);
    const { agreements } = this.#services.packages;
    const named = this.setup.directories;
    await acceptPackage(checked, { id, digest, who, named }, agreements, this.#upstreams);
    await this.#check();
    this.#services.notifyChanged();
  }

  get packages(): readonly CheckedPackage[] {
    return this.#packages;
  }

  /** Runs what belongs to the life cycle of a package: its smoke test and its kill switch. */
  runner(id: string): PackageRunner {
    const profileInputs = () => this.#profileInputs.of(id);
    return createPackageRunner(findPackage(this.#packages, id), { ...this.#statusServices, profileInputs });
  }

  async install(id: string, options: InstallOptions): Promise<InstallResult> {
    const subject = { principal: this.setup.principal, package: id };
    const checked = findPackage(this.#packages, id);
    return installPackage(checked, subject, this.#profileInputs.of(id), this.#services, options);
  }

  /** `accept`: only when the session opens, and not kept, because it may hold the PIN. What appears later needs review. */
  async #check(accept: FirstAcceptance | null = null): Promise<void> {
    const { intent, principal, policy } = this.setup;
    const { loaded } = this.#loaded;
    const { agreements, findInterpreter } = this.#services.packages;
    // Before the check: a change during it leads to another check.
    const { version } = this.#newAgreements;
    const request = { loaded, accept, stores: intent === 'use' || accept !== null, principal };
    const underReview = await agreeToPackages(request, agreements);
    const machine = { findInterpreter, ...this.#services.sandboxing };
    const probe = loaded.length === 0 ? undefined : await this.#sandboxProbe;
    this.#packages =
      probe === undefined ? [] : checkPackages(loaded, { policy, underReview, probe, ...machine });
    this.setup.grantInstalled(installedGrants(this.#packages));
    this.#profileInputs.reset(this.#packages);
    const usable = this.#packages.filter((it) => it.blocked === null);
    this.#withHooks = usable.filter(hasHooks);
    this.#withUpstreams = usable.filter(hasUpstreams);
    await this.#upstreams.load(this.#packages);
    await this.#listTools();
    this.#newAgreements.markSeen(version);
  }

  /**
   * Starts upstreams that never announced their tools, and updates the list of tools. `wait`: until they announced
   * them. Each call asks, so it waits only for what there is to do.
   */
  async #refreshTools(wait: boolean): Promise<void> {
    if (this.setup.places === null && this.#newAgreements.takeInstalled()) await this.reload();
    else if (this.#load.end !== undefined) await this.#load.end;
    // A package that needed review may have been accepted meanwhile, perhaps in another session.
    if (this.#newAgreements.exist && (await this.#newAgreements.concern(this.#packages))) await this.#check();
    if (this.#tools.set.isOutdated) await this.#listTools();
    const mayStart = startable(this.#tools.set.shown(this.#withUpstreams), this.setup.intent);
    const unknown = mayStart.filter((it) => this.#upstreams.hasUnknownTools(it));
    if (unknown.length > 0) await fetchUnknownTools(unknown, wait, this.#statusServices);
    if (this.#tools.isOutdated) await this.#listTools();
  }

  #listTools(): Promise<void> {
    return this.#tools.list(() => this.#packages, {
      status: (it) => this.#statusNow(it),
      profileInputs: (id) => this.#profileInputs.of(id),
      isPublic: (id, slot) => isPublicSlot(this.#packages, id, slot),
      upstreams: this.#upstreams,
    });
  }

  get #statusServices(): PackageStatusServices {
    return { services: this.#services, setup: this.setup, upstreams: this.#upstreams };
  }

  async #statuses(): Promise<ReadonlyMap<CheckedPackage, PackageStatus>> {
    return packageStatuses(this.#packages, this.#statusServices);
  }

  async #statusNow(checked: CheckedPackage): Promise<PackageStatus> {
    const disabled = await this.#services.packages.switches.asSet();
    return await packageStatus(checked, disabled, this.#statusServices);
  }
}
