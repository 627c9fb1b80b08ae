import { asHostError, HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Program } from '../model/program.js';
import type { SlotValues } from '../model/slot.js';
import { guessesIn } from '../policy/guesses.js';
import type { SandboxProfile } from '../run/launch.js';
import type { RunRequest, RunResult } from '../run/run.js';
import type { ConnectUpstream, Upstream } from '../run/upstream/upstream.js';
import type { AnnouncementBook } from './announcement-book.js';
import type { HookHandler } from './hooks.js';
import type { ProgramState } from './host.js';
import { refuseSecretsIn } from './input-scan.js';
import { openingOf } from './opening.js';
import { cleanFailure } from './output-scan.js';
import type { Queue } from './queue.js';
import type { Judged } from './readiness.js';
import { type ProfileInputs, sandboxProfileFor } from './sandbox-profile.js';
import type { CallScan, IsPublic } from './scanner.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import { slotValues } from './slots.js';
import { passedIn } from './tool.js';
import type { UpstreamConnections, UpstreamTarget } from './upstream-connections.js';
import {
  hasUpstreams,
  packageOf,
  placeOf,
  programOf,
  reachOf,
  runsHere,
  upstreamKey,
} from './upstream-program.js';
import { type Offer, offerOf, type ProgramAnnouncement, upstreamPrograms } from './upstream-tools.js';

/** What programs that are asked again and again are reached with. */
export interface UpstreamServices {
  readonly remotes: UpstreamConnections;
  readonly book: AnnouncementBook;
  /** By protocol; loaded when first needed. */
  readonly connect: Readonly<Record<'nexo' | 'mcp', () => Promise<ConnectUpstream>>>;
  /** Bounds how many programs come up at once. */
  readonly inTurn: Queue;
  /** Null where nobody listens. */
  readonly onLog: ((packageId: string, line: string) => void) | null;
}

/** What the session around it knows. */
export interface PackageUpstreamsContext {
  readonly lending: (packageId: string) => ProfileInputs;
  readonly isPublic: IsPublic;
}

/** A process that is kept may use more processor time than one that answers once. */
const keptCpuSeconds = 3600;

/** The programs of one session's packages: what they offer, and how they are called. */
export class PackageUpstreams {
  readonly #machinery: SessionServices;
  readonly #setup: SessionSetup;
  readonly #road: PackageUpstreamsContext;
  readonly #trouble = new Map<Judged, string>();
  readonly #learning = new Map<Judged, Promise<void>>();

  constructor(machinery: SessionServices, setup: SessionSetup, road: PackageUpstreamsContext) {
    this.#machinery = machinery;
    this.#setup = setup;
    this.#road = road;
  }

  async load(judged: readonly Judged[]): Promise<void> {
    const { book } = this.#machinery.remote;
    for (const it of judged) if (hasUpstreams(it)) await book.load(placeOf(it, '').manifest);
  }

  /** What a package offers, as far as it is known. */
  offer(judged: Judged): Offer {
    const of = packageOf(judged);
    if (!hasUpstreams(judged)) return { tools: of.tools.map((tool) => ({ tool, held: false })), remarks: [] };
    return offerOf(of, this.#known(judged));
  }

  /** Whether somebody still has to ask the programs what they can do. */
  isUnknown(judged: Judged): boolean {
    return (
      hasUpstreams(judged) &&
      upstreamPrograms(packageOf(judged)).some((it) => !this.#known(judged).has(it.name))
    );
  }

  /** Brings programs up that never said what they can do. A failure is kept as the reason. */
  learn(judged: Judged): Promise<void> {
    const under = this.#learning.get(judged);
    if (under !== undefined) return under;
    const known = this.#known(judged);
    const missing = upstreamPrograms(packageOf(judged)).filter((it) => !known.has(it.name));
    const work = Promise.all(missing.map((it) => this.#meet(judged, it)))
      .then(
        () => void this.#trouble.delete(judged),
        (error) => {
          const { message, hint } = asHostError(error);
          this.#trouble.set(judged, hint === undefined ? message : `${message}; ${hint}`);
        },
      )
      .finally(() => this.#learning.delete(judged));
    this.#learning.set(judged, work);
    return work;
  }

  /** Why a package that is otherwise ready cannot be used now; undefined when it can. */
  trouble(judged: Judged): string | undefined {
    if (!hasUpstreams(judged)) return undefined;
    if (this.isUnknown(judged)) return this.#trouble.get(judged) ?? 'its program has not been up yet';
    const { digest } = placeOf(judged, '');
    const failed = this.#machinery.remote.remotes
      .states(digest, this.#setup.principal)
      .find((it) => it.state === 'failed');
    return failed === undefined ? undefined : `its program ${failed.program} is given up: ${failed.reason}`;
  }

  programs(judged: Judged): readonly ProgramState[] {
    if (!hasUpstreams(judged)) return [];
    const { digest } = placeOf(judged, '');
    const { remotes } = this.#machinery.remote;
    return remotes.states(digest, this.#setup.principal).map(({ program, state, reason, ends }) => ({
      name: program,
      state,
      ...(reason === '' ? {} : { reason }),
      ends,
    }));
  }

  /** What programs say now that nobody agreed to, by program. */
  waiting(judged: Judged): ReadonlyMap<string, ProgramAnnouncement> {
    const known = hasUpstreams(judged) ? [...this.#known(judged)] : [];
    return new Map(known.filter(([, it]) => it.waiting !== null));
  }

  async accept(judged: Judged, shown: ReadonlyMap<string, ProgramAnnouncement>): Promise<void> {
    for (const [program, { waiting }] of shown) {
      if (waiting !== null) await this.#machinery.remote.book.accept(placeOf(judged, program), waiting);
    }
  }

  /** Calls a tool of a program. */
  async call(judged: Judged, request: RunRequest, slots: SlotValues): Promise<RunResult> {
    const { action } = request.tool;
    if (action?.kind !== 'upstream') throw new Error('only tools of programs are called here');
    const program = programOf(packageOf(judged), action.program);
    const { timeoutMs, signal, input, callId, outputBytes, caller, onRefused, onProgress, onAsk } = request;
    return this.#use(
      judged,
      program,
      slots,
      (remote) =>
        remote.call({
          tool: action.tool,
          input,
          name: `${request.package.id}/${request.tool.name}`,
          callId,
          timeoutMs,
          signal,
          outputBytes,
          caller,
          onRefused,
          onProgress,
          onAsk,
        }),
      request.tool.name,
    );
  }

  /** What a package wants to be asked: what its manifest declares, its program announced and somebody agreed to. */
  hooks(judged: Judged): readonly HookHandler[] {
    const of = packageOf(judged);
    const known = this.#known(judged);
    return of.hooks
      .filter((it) => known.get(it.program)?.agreed.hooks.includes(it.point) === true)
      .map(({ point, program, priority }) => ({
        package: of.id,
        point,
        priority,
        ask: async (event, patience) => {
          const slots = await this.#slots(of);
          const scan = await this.#scan(of, slots);
          // Neither are others' secrets for it, nor are its own for others.
          const shown = (await scan.clean(event)).value as JsonObject;
          const said = await this.#use(judged, programOf(of, program), slots, (remote) => {
            if (remote.hook === undefined)
              throw new HostError('not_supported', `${program} of ${of.id} takes no questions`);
            return remote.hook(point, shown, patience);
          });
          return (await scan.clean(said)).value;
        },
      }));
  }

  /** Lends a program of a package to `work`. */
  async withProgram<T>(judged: Judged, name: string, work: (remote: Upstream) => Promise<T>): Promise<T> {
    const of = packageOf(judged);
    return this.#use(judged, programOf(of, name), await this.#slots(of), work);
  }

  /** What programs said, and what of it somebody agreed to. */
  announcements(judged: Judged): ReadonlyMap<string, ProgramAnnouncement> {
    return hasUpstreams(judged) ? this.#known(judged) : new Map();
  }

  /** Asks a program for something that is no call; what it says is clean like an answer, and so is its refusal. */
  async read(judged: Judged, name: string, work: (remote: Upstream) => Promise<Json>): Promise<Json> {
    const of = packageOf(judged);
    const slots = await this.#slots(of);
    const scan = await this.#scan(of, slots);
    try {
      return (await scan.clean(await this.#use(judged, programOf(of, name), slots, work))).value;
    } catch (error) {
      throw await cleanFailure(scan, error);
    }
  }

  /** Throws when what a program would be asked for holds a secret. */
  async screen(judged: Judged, name: string, asked: Json): Promise<void> {
    const of = packageOf(judged);
    await refuseSecretsIn(`${of.id}/${name}`, asked, await this.#scan(of, await this.#slots(of)));
  }

  #scan(of: Package, slots: SlotValues): Promise<CallScan> {
    const guesses = guessesIn(this.#setup.policy.noGuesses, `${of.id}/`);
    return this.#machinery.scanner.forCall(of, slots, { isPublic: this.#road.isPublic, guesses });
  }

  #slots(of: Package): Promise<SlotValues> {
    return slotValues(of, this.#machinery.vault, passedIn(this.#setup, of.id));
  }

  async #meet(judged: Judged, program: Program): Promise<void> {
    await this.#machinery.remote.inTurn(() => this.withProgram(judged, program.name, async () => {}));
  }

  async #use<T>(
    judged: Judged,
    program: Program,
    slots: SlotValues,
    work: (remote: Upstream) => Promise<T>,
    tool?: string,
  ): Promise<T> {
    const confinement = runsHere(program) ? await this.#confined(judged, slots) : null;
    const place = this.#remotePlace(judged, program, slots, confinement);
    return this.#machinery.remote.remotes.use(place, work, tool);
  }

  async #confined(judged: Judged, slots: SlotValues): Promise<SandboxProfile> {
    const { confinement } = await sandboxProfileFor(
      judged,
      null,
      slots,
      this.#road.lending(packageOf(judged).id),
    );
    const cpuSeconds = Math.max(confinement.limits.cpuSeconds, keptCpuSeconds);
    return { ...confinement, limits: { ...confinement.limits, cpuSeconds } };
  }

  #remotePlace(
    judged: Judged,
    program: Program,
    slots: SlotValues,
    confinement: SandboxProfile | null,
  ): UpstreamTarget {
    const of = packageOf(judged);
    const place = placeOf(judged, program.name);
    const { policy, principal } = this.#setup;
    const { remotes } = this.#machinery.remote;
    const reach = reachOf(of, program, passedIn(this.#setup, of.id));
    const natsUrl = policy.natsUrl ?? null;
    const key = upstreamKey(place, principal, slots, reach, natsUrl, confinement);
    const opening = openingOf(
      {
        ...{ of, program, place, slots, reach, natsUrl, confinement },
        scan: () => this.#scan(of, slots),
        end: (reason) => remotes.end((it) => it.key === key, reason),
      },
      this.#machinery,
      this.#setup,
    );
    const ours = runsHere(program);
    const { digest } = place;
    return { key, principal, package: of.id, digest, program: program.name, ours, ...opening };
  }

  #known(judged: Judged): Map<string, ProgramAnnouncement> {
    const { book } = this.#machinery.remote;
    const known = upstreamPrograms(packageOf(judged)).flatMap((it) => {
      const found = book.known(placeOf(judged, it.name));
      return found === undefined ? [] : [[it.name, found] as const];
    });
    return new Map(known);
  }
}
