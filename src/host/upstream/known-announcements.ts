import { type Package, upstreamPrograms } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { Tool } from '../../model/tool.js';
import type { SessionIntent } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { AnnouncementRegistry } from './announcement-registry.js';
import { packageOf, programRefOf } from './upstream-program.js';
import type { ProgramAnnouncement, ToolOffer } from './upstream-tools.js';

/** What the programs of a package announced, by program. */
function knownAnnouncements(
  checked: CheckedPackage,
  announcements: AnnouncementRegistry,
  intent: SessionIntent,
): Map<string, ProgramAnnouncement> {
  const known = upstreamPrograms(packageOf(checked)).flatMap((it) => {
    const ref = programRefOf(checked, it.name);
    // Looking shows the last announcement, also that of an earlier version.
    const announcement = intent === 'use' ? announcements.get(ref) : announcements.last(ref);
    return announcement === undefined ? [] : [[it.name, announcement] as const];
  });
  return new Map(known);
}

/**
 * The announcements of the packages of a session, and what follows from them. Each call asks for all of it, so it is collected
 * again only after an announcement changed.
 */
export class KnownAnnouncements {
  readonly #announcements: AnnouncementRegistry;
  readonly #intent: SessionIntent;
  readonly #collected = new WeakMap<CheckedPackage, Collected>();

  constructor(announcements: AnnouncementRegistry, intent: SessionIntent) {
    this.#announcements = announcements;
    this.#intent = intent;
  }

  of(checked: CheckedPackage): ReadonlyMap<string, ProgramAnnouncement> {
    return this.#collect(checked).known;
  }

  /** Those that changed and wait for a review. */
  waiting(checked: CheckedPackage): ReadonlyMap<string, ProgramAnnouncement> {
    return this.#collect(checked).waiting;
  }

  /** Programs that never announced anything. If all of them together offer nothing, they may have changed meanwhile. */
  programsToAsk(checked: CheckedPackage): readonly Program[] {
    return this.#collect(checked).programsToAsk;
  }

  /** Why the announcements of a package are not enough to use it; undefined if they are. */
  problem(checked: CheckedPackage): AnnouncementProblem | undefined {
    return this.#collect(checked).problem;
  }

  #collect(checked: CheckedPackage): Collected {
    const { version } = this.#announcements;
    const last = this.#collected.get(checked);
    if (last?.version === version) return last;
    const pkg = packageOf(checked);
    const known = knownAnnouncements(checked, this.#announcements, this.#intent);
    const toAsk = programsToAsk(pkg, known);
    const collected = {
      version,
      known,
      waiting: new Map([...known].filter(([, it]) => it.waiting !== null)),
      programsToAsk: toAsk,
      problem: announcementProblem(pkg, known, toAsk),
    };
    this.#collected.set(checked, collected);
    return collected;
  }
}

export interface AnnouncementProblem {
  readonly reason: string;
  /** All announcements were made. */
  readonly isEmpty: boolean;
}

interface Collected {
  /** Of all announcements. */
  readonly version: number;
  readonly known: ReadonlyMap<string, ProgramAnnouncement>;
  readonly waiting: ReadonlyMap<string, ProgramAnnouncement>;
  readonly programsToAsk: readonly Program[];
  readonly problem: AnnouncementProblem | undefined;
}

/**
 * Whether all programs of a package announced something, but nothing that can be used: no declared tool or hook, and
 * nothing else that a manifest does not declare.
 */
function offersNothing(pkg: Package, known: ReadonlyMap<string, ProgramAnnouncement>): boolean {
  if (pkg.prompts.length > 0 || pkg.tools.some((it) => it.action?.kind !== 'upstream')) return false;
  return upstreamPrograms(pkg).every(({ name, protocol }) => {
    const announced = known.get(name)?.agreed;
    if (announced === undefined || protocol === 'mcp') return false;
    const tools = new Set(announced.tools.map((it) => it.name));
    const hasTool = pkg.tools.some(
      ({ action }) => action?.kind === 'upstream' && action.program === name && tools.has(action.tool),
    );
    return !hasTool && !pkg.hooks.some((it) => it.program === name && announced.hooks.includes(it.point));
  });
}

function announcementProblem(
  pkg: Package,
  known: ReadonlyMap<string, ProgramAnnouncement>,
  toAsk: readonly Program[],
): AnnouncementProblem | undefined {
  if (offersNothing(pkg, known))
    return { reason: 'its program announces none of the tools that its manifest declares', isEmpty: true };
  return toAsk.length === 0 ? undefined : { reason: 'its program has not started yet', isEmpty: false };
}

function programsToAsk(pkg: Package, known: ReadonlyMap<string, ProgramAnnouncement>): readonly Program[] {
  const programs = upstreamPrograms(pkg);
  const unknown = programs.filter((it) => !known.has(it.name));
  return unknown.length === 0 && offersNothing(pkg, known) ? programs : unknown;
}

/** Adds the tools of programs that never started: what their manifest declares is all that is known of them. */
export function withDeclaredTools(
  pkg: Package,
  offer: ToolOffer,
  known: ReadonlyMap<string, ProgramAnnouncement>,
): ToolOffer {
  const offered = new Set(offer.tools.map((it) => it.tool.name));
  const isDeclaredOnly = ({ name, action }: Tool) =>
    action?.kind === 'upstream' && !known.has(action.program) && !offered.has(name);
  const declared = pkg.tools.filter(isDeclaredOnly);
  return { ...offer, tools: [...offer.tools, ...declared.map((tool) => ({ tool, needsReview: false }))] };
}

/** What a session that only looks cannot know about the tools of a package; empty if it knows all. */
export function unknownToolReasons(
  checked: CheckedPackage,
  announcements: AnnouncementRegistry,
): readonly string[] {
  const programs = upstreamPrograms(packageOf(checked)).map((it) => programRefOf(checked, it.name));
  if (programs.some((it) => announcements.last(it) === undefined))
    return ['it starts on first use; its tools are known after that'];
  return programs.every((it) => announcements.get(it) !== undefined)
    ? []
    : ['its files changed since it last ran; these are the tools that it announced then'];
}
