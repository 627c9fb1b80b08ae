import type { PackageNeed } from '../environment/need.js';
import { interpreterOf } from '../formats/interpreter.js';
import type { Package } from '../model/package.js';
import { shellWord } from '../model/shell-word.js';
import { unenforceable } from '../policy/enforceable.js';
import { lookAlikes } from '../policy/look-alike.js';
import { findBinary } from '../run/launch.js';
import type { Containers } from '../sandbox/container/containers.js';
import type { Verdict } from '../sandbox/sandbox.js';
import type { PackageUnderReview } from './agreements.js';
import { type Loaded, ownPaths } from './catalog.js';
import type { PackageStateName, SessionPolicy } from './host.js';
import { type FindInterpreter, type ProgramNeed, programNeeds } from './runtimes.js';

/** A state with the reasons for it. A package that is ready may have remarks. */
export interface PackageStatus {
  readonly state: PackageStateName;
  readonly reasons: readonly string[];
  /** What a call is refused with, where that is more than the state says. */
  readonly code?:
    | 'killed'
    | 'sandbox_unavailable'
    | 'runtime_missing'
    | 'invalid_manifest'
    | 'upstream_failed';
}

/** What was found out about a package when the session began. */
export interface Judged {
  readonly loaded: Loaded;
  /** Not ready for a reason that only a new session can take away; else null. */
  readonly fixed: PackageStatus | null;
  readonly remarks: readonly string[];
  readonly needs: readonly ProgramNeed[];
  readonly held: PackageUnderReview | undefined;
  /** Its files on this machine: a folder, or one file. */
  readonly own: readonly string[];
}

export interface JudgeOptions {
  readonly policy: SessionPolicy;
  readonly held: ReadonlyMap<Loaded, PackageUnderReview>;
  readonly verdict: Verdict;
  readonly find: FindInterpreter;
  readonly containers: Containers;
}

/** Judges packages in their order: of two with one id, the first has it. */
export function judgeAll(loaded: readonly Loaded[], options: JudgeOptions): Judged[] {
  const taken = new Map<string, string>();
  const alike = lookAlikes(loaded.flatMap((it) => it.catalog?.package.id ?? []));
  return loaded.map((it) => {
    const id = it.catalog?.package.id;
    const first = id === undefined ? undefined : taken.get(id);
    if (id !== undefined && first === undefined) taken.set(id, it.file);
    return compared(judge(it, first, options), alike.get(id ?? '') ?? []);
  });
}

/** One that looks like another is not refused: that is for a person to see, before agreeing to it above all. */
function compared(judged: Judged, alike: readonly string[]): Judged {
  if (alike.length === 0) return judged;
  const remark = `its id looks like ${alike.slice(0, 3).join(', ')}, which is another package here; make sure which one you mean`;
  const { fixed, remarks } = judged;
  return {
    ...judged,
    remarks: [...remarks, remark],
    fixed: fixed?.state === 'needs-review' ? { ...fixed, reasons: [...fixed.reasons, remark] } : fixed,
  };
}

function judge(
  loaded: Loaded,
  first: string | undefined,
  { policy, held, verdict, find, containers }: JudgeOptions,
): Judged {
  const waiting = held.get(loaded);
  const base = { loaded, held: waiting, remarks: [], needs: [], own: ownPaths(loaded) };
  const of = loaded.catalog?.package;
  if (of === undefined)
    return { ...base, fixed: { state: 'broken', reasons: errorsOf(loaded), code: 'invalid_manifest' } };
  if (first !== undefined)
    return { ...base, fixed: { state: 'needs-review', reasons: [`the id ${of.id} is taken by ${first}`] } };
  if (policy.only !== undefined && !policy.only.includes(of.id))
    return {
      ...base,
      fixed: {
        state: 'disabled',
        reasons: ['the configuration lists the packages to serve, and not this one'],
      },
    };
  if (policy.disabled?.includes(of.id))
    return { ...base, fixed: { state: 'disabled', reasons: ['the configuration switches it off'] } };
  if (waiting !== undefined)
    return { ...base, fixed: { state: 'needs-review', reasons: heldReasons(waiting, loaded) } };
  const needs = programNeeds(loaded, find, containers, policy.strictRuntime === true);
  // Containers are held by their engine, which is tried when the image is there.
  const here = needs.filter((it) => it.kind === 'missing' || it.need.image === undefined);
  const unconfined = here.length > 0 && verdict.level === 'unavailable';
  const lacking = [
    ...missingBinaries(of),
    ...needs.flatMap((it) => (it.kind === 'missing' ? [it.reason] : [])),
  ];
  const reasons = [
    ...unenforceable(of),
    ...lacking,
    ...(unconfined ? verdict.reasons.map((it) => `there is no sandbox: ${it}; ${verdict.hint}`) : []),
  ];
  const code = unconfined ? 'sandbox_unavailable' : lacking.length > 0 ? 'runtime_missing' : undefined;
  return {
    ...base,
    needs: needs.flatMap((it) => (it.kind === 'ready' ? [it.need] : [])),
    remarks: [
      ...(loaded.stale === undefined ? [] : [loaded.stale]),
      ...needs.flatMap((it) => (it.kind === 'ready' && it.remark !== undefined ? [it.remark] : [])),
    ],
    fixed:
      reasons.length === 0
        ? null
        : { state: 'unavailable', reasons, ...(code === undefined ? {} : { code }) },
  };
}

function errorsOf({ diagnostics, file }: Loaded): string[] {
  const errors = diagnostics.filter((it) => it.severity === 'error');
  const reasons = errors.slice(0, 3).map((it) => `${it.message} (${it.file}:${it.range.line})`);
  if (errors.length > 3)
    reasons.push(`and ${errors.length - 3} more; see "toolwharf validate ${shellWord(file)}"`);
  return reasons;
}

const mostShown = 4;

function heldReasons({ review }: PackageUnderReview, { file }: Loaded): string[] {
  const all = [...review.widened, ...review.reworded];
  const shown = all.slice(0, review.from === undefined ? 1 : mostShown);
  const rest = review.from === undefined ? 0 : all.length - shown.length;
  const what = `${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
  return [
    review.from === undefined ? what : `it changed since you agreed to it: ${what}`,
    `look at it, and agree or not: toolwharf review ${shellWord(review.package)} --dir ${shellWord(file)}`,
  ];
}

/** An interpreter that starts a program of the package is looked for as such, wherever it is. */
function missingBinaries({ needs: { binaries }, programs }: Package): string[] {
  const languages = programs.flatMap(({ target }) =>
    target.kind === 'process' ? (target.runtime?.language ?? []) : [],
  );
  const isFound = (name: string) => {
    const runtime = interpreterOf(name);
    return runtime !== undefined && runtime.version === undefined && languages.includes(runtime.language);
  };
  const missing = binaries.filter((it) => !isFound(it) && !findBinary(it, '/', null));
  return missing.length === 0
    ? []
    : [`it needs ${missing.join(', ')} in /usr/bin or /usr/local/bin, where confined programs can see it`];
}

/** What is still to be installed, as a reason with the command that does it. */
export function uninstalled(
  { loaded, needs }: Judged,
  isInstalled: (need: PackageNeed) => boolean,
): string[] {
  const missing = needs.filter((it) => it.packages !== null && !isInstalled(it.packages));
  if (missing.length === 0) return [];
  const languages = [
    ...new Set(missing.map((it) => (it.packages?.language === 'python' ? 'Python' : 'npm'))),
  ];
  return [
    `its ${languages.join(' and ')} packages are not installed. Install them: toolwharf install ${shellWord(loaded.file)}`,
  ];
}
