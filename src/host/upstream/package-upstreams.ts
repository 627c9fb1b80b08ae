import { asHostError, HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { type Program, runsHere } from '../../model/program.js';
import type { SlotValues } from '../../model/slot.js';
import type { Tool } from '../../model/tool.js';
import { guessesEnabled } from '../../policy/rules/guess-setting.js';
import type { AskedClient, RunRequest, RunResult } from '../../run/run.js';
import type { Deadline } from '../../run/upstream/upstream.js';
import type { HookHandler } from '../call/hooks.js';
import { assertNoSecrets } from '../call/input-scan.js';
import { cleanFailure } from '../call/output-scan.js';
import type { CallScan } from '../call/secret-scanner.js';
import type { ProgramState } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import { slotValues } from '../sandboxing/slots.js';
import { onlyLooks, type SessionSetup } from '../session-setup.js';
import { allowedRequests, readingClient } from './allowed-requests.js';
import type { ComparedUpstream } from './compared-upstream.js';
import { KnownAnnouncements, unknownToolReasons, withDeclaredTools } from './known-announcements.js';
import type { PackageUpstreamsContext } from './package-upstreams-context.js';
import { type ContentMode, passedContent } from './passed-content.js';
import { lastFailures, programStatesOf } from './program-states.js';
import { watchResource } from './resource-watch.js';
import { RunningTargets } from './running-targets.js';
import { isUnacceptedTool, outdatedToolReason, upstreamAction } from './tool-review.js';
import type { ToolUse } from './tool-use.js';
import { acceptedPages } from './upstream-apps.js';
import { upstreamCall } from './upstream-call.js';
import type { UpstreamTarget } from './upstream-connections.js';
import { upstreamHooks } from './upstream-hooks.js';
import { linkPrefix, withReadableResult } from './upstream-links.js';
import { upstreamProblem } from './upstream-problem.js';
import { hasUpstreams, packageOf, programOf, programRefOf } from './upstream-program.js';
import { type PackageUpstreamsServices, upstreamTarget } from './upstream-target.js';
import type { ProgramAnnouncement, ToolOffer } from './upstream-tools.js';

/** The upstreams of one session's packages: what they announce, and how they are called. */
export class PackageUpstreams {
  readonly #services: PackageUpstreamsServices;
  readonly #setup: SessionSetup;
  readonly #context: PackageUpstreamsContext;
  /** Why the last attempt to get announcements failed. */
  readonly #failures = new Map<CheckedPackage, string>();
  readonly #announced: KnownAnnouncements;
  readonly #fetching = new Map<CheckedPackage, Promise<void>>();
  readonly #running: RunningTargets;

  constructor(services: PackageUpstreamsServices, setup: SessionSetup, context: PackageUpstreamsContext) {
    this.#services = services;
    this.#setup = setup;
    this.#context = context;
    this.#announced = new KnownAnnouncements(services.upstreams.announcements, setup.intent);
    this.#running = new RunningTargets(services.upstreams.connections);
  }

  async load(packages: readonly CheckedPackage[]): Promise<void> {
    const { announcements, failedStarts } = this.#services.upstreams;
    for (const { manifest } of packages.filter(hasUpstreams).map((it) => programRefOf(it, '')))
      await Promise.all([announcements.load(manifest), failedStarts.load(manifest)]);
  }

  /** The tools of a package, as far as they are known. */
  offer(checked: CheckedPackage): ToolOffer {
    const pkg = packageOf(checked);
    if (!hasUpstreams(checked))
      return { tools: pkg.tools.map((tool) => ({ tool, needsReview: false })), remarks: [] };
    const known = this.#announced.of(checked);
    const offer = this.#services.upstreams.offers.of(pkg, known);
    return this.#setup.intent === 'use' ? offer : withDeclaredTools(pkg, offer, known);
  }

  /** Whether a program of the package has never announced its tools. */
  hasUnknownTools(checked: CheckedPackage): boolean {
    return hasUpstreams(checked) && this.#announced.programsToAsk(checked).length > 0;
  }

  /** Starts the programs that never announced their tools. Never rejects: a failure becomes the package's `problem`. */
  fetchAnnouncements(checked: CheckedPackage): Promise<void> {
    const fetching = this.#fetching.get(checked);
    if (fetching !== undefined) return fetching;
    const missing = this.#announced.programsToAsk(checked);
    const { startQueue } = this.#services.upstreams;
    const start = ({ name }: Program) => startQueue(() => this.withProgram(checked, name, async () => {}));
    const work = Promise.all(missing.map(start))
      .then(
        () => void this.#failures.delete(checked),
        (error) => {
          const { message, hint } = asHostError(error);
          this.#failures.set(checked, hint === undefined ? message : `${message}; ${hint}`);
        },
      )
      .finally(() => this.#fetching.delete(checked));
    this.#fetching.set(checked, work);
    return work;
  }

  /**
   * Why the upstreams of an otherwise ready package cannot be used now; undefined if they can. A session that only looks
   * starts none, so one that never started is not a problem there. One that failed when it was last used is.
   */
  problem(checked: CheckedPackage): string | undefined {
    if (!hasUpstreams(checked)) return undefined;
    const failure = this.#failures.get(checked);
    return upstreamProblem(
      checked,
      this.#announced.problem(checked),
      failure,
      this.#services.upstreams,
      this.#setup,
    );
  }

  lastFailures(checked: CheckedPackage): readonly string[] {
    return lastFailures(checked, this.#services.upstreams.failedStarts);
  }

  /** False for a tool that a session that looks knows only from the manifest, because its program never started. */
  hasAnnounced(checked: CheckedPackage, { action }: Tool): boolean {
    if (this.#setup.intent === 'use' || action?.kind !== 'upstream') return true;
    return this.#announced.of(checked).has(action.program);
  }

  /** What a session that only looks cannot know about the tools of a package; empty if it knows all. */
  unknownTools(checked: CheckedPackage): readonly string[] {
    if (this.#setup.intent === 'use' || !hasUpstreams(checked)) return [];
    return unknownToolReasons(checked, this.#services.upstreams.announcements);
  }

  programStates(checked: CheckedPackage): readonly ProgramState[] {
    if (!hasUpstreams(checked)) return [];
    return programStatesOf(checked, this.#services.upstreams.connections, this.#setup.owner);
  }

  /** Changed announcements that wait for a review, by program. */
  waitingAnnouncements(checked: CheckedPackage): ReadonlyMap<string, ProgramAnnouncement> {
    return hasUpstreams(checked) ? this.#announced.waiting(checked) : new Map();
  }

  async accept(checked: CheckedPackage, shown: ReadonlyMap<string, ProgramAnnouncement>): Promise<void> {
    for (const [program, { waiting }] of shown)
      if (waiting !== null)
        await this.#services.upstreams.announcements.accept(programRefOf(checked, program), waiting);
  }

  /** Whether a program announces the tool `package/tool`, but nobody accepted it yet. */
  hasUnacceptedTool(checked: CheckedPackage, name: string): boolean {
    return isUnacceptedTool(packageOf(checked), this.waitingAnnouncements(checked), name);
  }

  /** Why a tool of an upstream cannot be called with the definition that the session knows; undefined if it can. */
  outdatedReason(checked: CheckedPackage, tool: Tool): string | undefined {
    const { digest } = programRefOf(checked, '');
    const digestOf = (it: Tool) => this.#services.upstreams.offers.digestOf(digest, it);
    return outdatedToolReason(this.offer(checked), this.#announced.of(checked), tool, digestOf);
  }

  /**
   * Throws if the program does not announce a tool as it was accepted. The program is started or connected if necessary;
   * one that the host did not start announces again first.
   */
  async assertUnchanged({ checked, tool, slots }: ToolUse, deadline: Deadline): Promise<void> {
    const { program: name, tool: announcedName } = upstreamAction(tool);
    const program = programOf(packageOf(checked), name);
    await this.#use(
      checked,
      program,
      slots,
      async (upstream) => {
        await upstream.compare(deadline, !runsHere(program));
        await upstream.assertAgreed({ kind: 'tool', name: announcedName });
      },
      { tool },
    );
  }

  /** Asks the program of a tool that needs review for its announcement: the review ends if it is the accepted one. */
  async compareAgain({ checked, tool, slots }: ToolUse, deadline: Deadline): Promise<void> {
    const program = programOf(packageOf(checked), upstreamAction(tool).program);
    await this.#use(checked, program, slots, (upstream) => upstream.compare(deadline, true), { tool });
  }

  async call({ checked, tool, slots }: ToolUse, request: RunRequest): Promise<RunResult> {
    const action = upstreamAction(tool);
    const program = programOf(packageOf(checked), action.program);
    const { package: pkg, tool: called } = request;
    const name = `${pkg.id}/${called.name}`;
    const result = this.#use(
      checked,
      program,
      slots,
      (upstream) =>
        upstream.call(
          upstreamCall(request, {
            name,
            tool: action.tool,
            clientRequests: allowedRequests(
              request.clientRequests,
              this.#setup.policy.serverRequests,
              pkg.id,
              name,
            ),
            assertCurrent: () => {
              const reason = this.outdatedReason(checked, tool);
              if (reason !== undefined)
                throw new HostError('needs_review', `${name} was not called: ${reason}`);
            },
          }),
        ),
      { tool, purpose: called.name },
    );
    const isAccepted = acceptedPages(() => this.#announced.of(checked).get(program.name));
    return await withReadableResult(result, linkPrefix(pkg.id, program.name), isAccepted);
  }

  /** The hooks of a package: declared by its manifest, announced by its program, and accepted by the operator. */
  hooks(checked: CheckedPackage): readonly HookHandler[] {
    const pkg = packageOf(checked);
    return upstreamHooks(pkg, this.#announced.of(checked), async (program, work) => {
      const slots = await this.#slots(pkg);
      const scan = await this.#scan(pkg, slots);
      return work(scan, (use) => this.#use(checked, programOf(pkg, program), slots, use));
    });
  }

  /** Runs `work` with a connected program of a package; starts the program if necessary. */
  async withProgram<T>(
    checked: CheckedPackage,
    name: string,
    work: (upstream: ComparedUpstream) => Promise<T>,
  ): Promise<T> {
    const pkg = packageOf(checked);
    return this.#use(checked, programOf(pkg, name), await this.#slots(pkg), work);
  }

  announcements(checked: CheckedPackage): ReadonlyMap<string, ProgramAnnouncement> {
    return hasUpstreams(checked) ? this.#announced.of(checked) : new Map();
  }

  /** Reads a prompt or resource from a program. The result, or the error, has no secrets in it. */
  async read(
    checked: CheckedPackage,
    name: string,
    work: (upstream: ComparedUpstream, client: AskedClient) => Promise<Json>,
    client: AskedClient = {},
    mode: ContentMode = 'cleaned',
  ): Promise<Json> {
    const pkg = packageOf(checked);
    const slots = await this.#slots(pkg);
    const scan = await this.#scan(pkg, slots);
    const { serverRequests } = this.#setup.policy;
    const { client: asked, flushed } = readingClient(scan, client, serverRequests, `${pkg.id}/${name}`);
    try {
      const read = (upstream: ComparedUpstream) => work(upstream, asked);
      const given = await this.#use(checked, programOf(pkg, name), slots, read);
      return await passedContent(scan, given, mode, pkg.id);
    } catch (error) {
      throw await cleanFailure(scan, error);
    } finally {
      await flushed();
    }
  }

  /** Watches a resource of a program; see `watchResource`. */
  async watch(
    checked: CheckedPackage,
    name: string,
    uri: string,
    onUpdate: (uri: string) => void,
    { timeoutMs, signal }: Deadline,
  ): Promise<{ readonly ended: Promise<void> }> {
    const pkg = packageOf(checked);
    const program = programOf(pkg, name);
    const slots = await this.#slots(pkg);
    const scan = await this.#scan(pkg, slots);
    const target = await this.#target(checked, program, slots);
    const { connections } = this.#services.upstreams;
    return watchResource(target, connections, scan, { uri, onUpdate, timeoutMs, signal });
  }

  /** Throws if a request for a prompt or resource contains a secret. */
  async checkForSecrets(checked: CheckedPackage, name: string, request: Json): Promise<void> {
    const pkg = packageOf(checked);
    await assertNoSecrets(`${pkg.id}/${name}`, request, await this.#scan(pkg, await this.#slots(pkg)));
  }

  #scan(pkg: Package, slots: SlotValues): Promise<CallScan> {
    const guesses = guessesEnabled(this.#setup.policy.noGuesses, `${pkg.id}/`);
    return this.#services.secrets.scanner.forCall(pkg, slots, { isPublic: this.#context.isPublic, guesses });
  }

  #slots(pkg: Package): Promise<SlotValues> {
    return slotValues(pkg, this.#services.secrets.vault, passedEnvironment(this.#setup, pkg.id));
  }

  async #use<T>(
    checked: CheckedPackage,
    program: Program,
    slots: SlotValues,
    work: (upstream: ComparedUpstream) => Promise<T>,
    { tool, purpose }: { readonly tool?: Tool; readonly purpose?: string } = {},
  ): Promise<T> {
    const target = await this.#target(checked, program, slots, tool);
    try {
      return await this.#services.upstreams.connections.use(target, work, purpose);
    } finally {
      if (target.guard !== undefined) await target.guard.settle();
    }
  }

  async #target(
    checked: CheckedPackage,
    program: Program,
    slots: SlotValues,
    tool?: Tool,
  ): Promise<UpstreamTarget<ComparedUpstream>> {
    if (this.#setup.intent !== 'use') throw onlyLooks(`start ${program.name}`);
    const pkg = packageOf(checked);
    // Before it starts: its announcement may already be a violation.
    this.#services.violations.using(pkg.id, this.#setup);
    const inputs = this.#context.profileInputs(pkg.id);
    const use = { checked, inputs, subject: tool?.access === undefined ? program : tool };
    const known = slots.size === 0 ? this.#running.find(use) : undefined;
    if (known !== undefined) return known;
    const { target, isConstant } = await upstreamTarget({
      ...{ checked, program, slots, tool, inputs },
      services: this.#services,
      setup: this.#setup,
      scan: () => this.#scan(pkg, slots),
    });
    if (isConstant) this.#running.keep(use, target);
    return target;
  }
}
