import type { PackageNeed } from '../../environment/package-need.js';
import { interpreterOf } from '../../formats/interpreter.js';
import type { Package } from '../../model/package.js';
import { shellQuote } from '../../model/shell-quote.js';
import { lookAlikes } from '../../policy/review/look-alike.js';
import { unenforceable } from '../../policy/unenforceable.js';
import { isOnSearchPath, searchPathOf } from '../../run/search-path.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { ProbeResult, Sandbox } from '../../sandbox/sandbox.js';
import type { PackageStateName, SessionPolicy } from '../host.js';
import type { PackageUnderReview } from './agreements.js';
import { type LoadedPackage, packagePaths } from './loaded-package.js';
import type { FindInterpreter, ProgramNeed } from './program-need.js';
import { programNeeds } from './program-needs.js';
import { failedUpdateRemarks, smokeRemarks } from './smoke-remarks.js';
import { shortened, unansweredTools, whollyUnanswered } from './unanswered-tools.js';

/** The state of a package with the reasons for it. The reasons of a ready package are remarks. */
export interface PackageStatus {
  readonly state: PackageStateName;
  readonly reasons: readonly string[];
  /** The reason that is the command to run next, if there is one. */
  readonly nextStep?: string;
  /** True: its programs announced changes that nobody accepted yet. What did not change can still be called. */
  readonly announcedChanges?: true;
  /** The error code for calls. Absent if it follows from the state. */
  readonly code?:
    | 'killed'
    | 'sandbox_unavailable'
    | 'runtime_missing'
    | 'invalid_manifest'
    | 'integrity'
    | 'upstream_failed';
}

/** A loaded package with the results of the checks that are made once, when it is loaded. */
export interface CheckedPackage {
  readonly loaded: LoadedPackage;
  /** Why the package cannot become ready until it is checked again; null if nothing prevents it. */
  readonly blocked: PackageStatus | null;
  readonly remarks: readonly string[];
  readonly needs: readonly ProgramNeed[];
  /** Tools that can never answer here, by name, with the reason. They are not offered. */
  readonly unanswered: ReadonlyMap<string, string>;
  readonly underReview: PackageUnderReview | undefined;
  /** Where its files are on this machine: a folder, or one file. */
  readonly paths: readonly string[];
}

export interface PackageCheckOptions {
  readonly policy: SessionPolicy;
  readonly underReview: ReadonlyMap<LoadedPackage, PackageUnderReview>;
  readonly probe: ProbeResult;
  readonly sandbox: Pick<Sandbox, 'user' | 'isolates'>;
  readonly findInterpreter: FindInterpreter;
  readonly containers: Containers;
}

/** Checks packages in order. If two have the same id, the first one keeps it. */
export function checkPackages(
  loaded: readonly LoadedPackage[],
  options: PackageCheckOptions,
): CheckedPackage[] {
  const fileById = new Map<string, string>();
  const all = loaded.flatMap((it) => it.catalog?.package ?? []);
  const alike = lookAlikes(loaded.flatMap((it) => it.catalog?.package.id ?? []));
  return loaded.map((it) => {
    const id = it.catalog?.package.id;
    const idOwner = id === undefined ? undefined : fileById.get(id);
    if (id !== undefined && idOwner === undefined) fileById.set(id, it.file);
    return withLookAlikes(checkPackage(it, idOwner, options, all), alike.get(id ?? '') ?? []);
  });
}

/** A look-alike id does not block a package; the operator sees a remark, also in a review. */
function withLookAlikes(checked: CheckedPackage, alike: readonly string[]): CheckedPackage {
  if (alike.length === 0) return checked;
  const remark = `its id looks like ${alike.slice(0, 3).join(', ')}, the id of another package here; check which one you mean`;
  const { blocked, remarks } = checked;
  return {
    ...checked,
    remarks: [...remarks, remark],
    blocked:
      blocked?.state === 'needs-review' ? { ...blocked, reasons: [...blocked.reasons, remark] } : blocked,
  };
}

/** `idOwner`: the file of the package that has the same id already. */
function checkPackage(
  loaded: LoadedPackage,
  idOwner: string | undefined,
  { policy, underReview, probe, sandbox, findInterpreter, containers }: PackageCheckOptions,
  all: readonly Package[],
): CheckedPackage {
  const review = underReview.get(loaded);
  const pkg = loaded.catalog?.package;
  const unanswered = pkg === undefined ? new Map<string, string>() : unansweredTools(pkg, all);
  const paths = packagePaths(loaded);
  const base = { loaded, underReview: review, remarks: [], needs: [], unanswered, paths };
  if (pkg === undefined)
    return { ...base, blocked: { state: 'broken', reasons: errorsOf(loaded), code: 'invalid_manifest' } };
  const wrongFiles = loaded.diagnostics.filter((it) => it.code === 'file.sha256');
  if (wrongFiles.length > 0)
    return {
      ...base,
      blocked: {
        state: 'broken',
        reasons: wrongFiles.map(({ message, hint }) =>
          hint === undefined ? message : `${message}; ${hint}`,
        ),
        code: 'integrity',
      },
    };
  if (idOwner !== undefined)
    return {
      ...base,
      blocked: { state: 'needs-review', reasons: [`the id ${pkg.id} is already used by ${idOwner}`] },
    };
  if (policy.only !== undefined && !policy.only.includes(pkg.id))
    return {
      ...base,
      blocked: {
        state: 'disabled',
        reasons: ['the configuration lists the packages to serve, and this one is not in the list'],
      },
    };
  if (policy.disabled?.includes(pkg.id))
    return { ...base, blocked: { state: 'disabled', reasons: ['it is disabled in the configuration'] } };
  const needs = programNeeds(loaded, findInterpreter, containers, policy.strictRuntime === true);
  const readyNeeds = needs.flatMap((it) => (it.kind === 'ready' ? [it.need] : []));
  if (review !== undefined) return { ...base, needs: readyNeeds, blocked: reviewStatus(review, loaded) };
  // Containers are confined by their engine, which is tested once the image is present.
  const inSandbox = needs.filter((it) => it.kind === 'missing' || it.need.image === undefined);
  const lacksSandbox = inSandbox.length > 0 && probe.level === 'unavailable';
  const missing = [
    ...(loaded.unmet ?? []),
    ...missingBinaries(pkg, readyNeeds, sandbox),
    ...needs.flatMap((it) => (it.kind === 'missing' ? [it.reason] : [])),
  ];
  const reasons = [
    ...unenforceable(pkg),
    ...whollyUnanswered(pkg, unanswered),
    ...missing,
    ...(lacksSandbox ? probe.reasons.map((it) => `no sandbox is available: ${it}; ${probe.hint}`) : []),
  ];
  const code = lacksSandbox ? 'sandbox_unavailable' : missing.length > 0 ? 'runtime_missing' : undefined;
  return {
    ...base,
    needs: readyNeeds,
    remarks: [
      ...(loaded.stale === undefined ? [] : [loaded.stale]),
      ...shortened([...unanswered.values()]),
      ...notServedRemark(pkg),
      ...needs.flatMap((it) => (it.kind === 'ready' && it.remark !== undefined ? [it.remark] : [])),
      ...smokeRemarks(loaded),
      ...failedUpdateRemarks(loaded),
    ],
    blocked:
      reasons.length === 0
        ? null
        : { state: 'unavailable', reasons, ...(code === undefined ? {} : { code }) },
  };
}

function notServedRemark({ notServed = [] }: Package): string[] {
  if (notServed.length === 0) return [];
  const parts = notServed.map(({ label, value }) =>
    Array.isArray(value) ? `${label} (${value.slice(0, maxNamesShown).join(', ')})` : label,
  );
  return [`declared, not served: ${parts.join(', ')}`];
}

function errorsOf({ diagnostics, file }: LoadedPackage): string[] {
  const errors = diagnostics.filter((it) => it.severity === 'error');
  const reasons = errors.slice(0, 3).map((it) => `${it.message} (${it.file}:${it.range.line})`);
  if (errors.length > 3)
    reasons.push(`and ${errors.length - 3} more: toolwharf validate ${shellQuote(file)}`);
  return reasons;
}

const maxChangesShown = 4;
const maxNamesShown = 8;

function reviewStatus({ review }: PackageUnderReview, { file }: LoadedPackage): PackageStatus {
  const all = [...review.widened, ...review.reworded];
  const shown = all.slice(0, review.from === undefined ? 1 : maxChangesShown);
  const rest = review.from === undefined ? 0 : all.length - shown.length;
  const what = `${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
  const why = review.from === undefined ? what : `it changed since you accepted it: ${what}`;
  const nextStep = `review it: toolwharf review ${shellQuote(review.package)} --dir ${shellQuote(file)}`;
  return { state: 'needs-review', reasons: [why, nextStep], nextStep };
}

/**
 * Binaries that are not in the PATH of the package's programs. Without interpreters that start programs of the package:
 * `programNeeds` looks for those. For a program that runs elsewhere, the PATH of this machine's sandboxes counts.
 */
function missingBinaries(
  { needs: { binaries }, programs }: Package,
  needs: readonly ProgramNeed[],
  sandbox: PackageCheckOptions['sandbox'],
): string[] {
  const languages = programs.flatMap(({ target }) =>
    target.kind === 'process' ? (target.runtime?.language ?? []) : [],
  );
  const isInterpreter = (name: string) => {
    const runtime = interpreterOf(name);
    return runtime !== undefined && runtime.version === undefined && languages.includes(runtime.language);
  };
  // MCP servers of a package are separate programs; what the package needs is for its own ones.
  const servers = new Set(programs.filter((it) => it.role === 'mcp-server').map((it) => it.name));
  const own = needs.filter((it) => !servers.has(it.program) && it.image === undefined);
  const interpreters = own.length === 0 ? [null] : own.map((it) => it.interpreter);
  const paths = interpreters.map((it) => searchPathOf(it, sandbox));
  const missing = binaries.filter(
    (it) => !isInterpreter(it) && !paths.every((path) => isOnSearchPath(it, path)),
  );
  const folders = [...new Set(paths.flatMap((it) => it.folders))].filter((it) => it !== '/bin');
  return missing.length === 0
    ? []
    : [`it needs ${missing.join(', ')} in the PATH of its sandbox: ${folders.join(', ')}`];
}

/** Why language packages are missing, with the command that installs them; empty if all are installed. */
export function missingInstallations(
  { loaded, needs }: CheckedPackage,
  isInstalled: (need: PackageNeed) => boolean,
): string[] {
  const missing = needs.filter((it) => it.packages !== null && !isInstalled(it.packages));
  if (missing.length === 0) return [];
  const languages = [
    ...new Set(missing.map((it) => (it.packages?.language === 'python' ? 'Python' : 'npm'))),
  ];
  return [
    `its ${languages.join(' and ')} packages are not installed. Install them: toolwharf install ${shellQuote(loaded.file)}`,
  ];
}

/** Whether a slot is a setting, not a secret. Packages under review do not decide this. */
export function isPublicSlot(packages: readonly CheckedPackage[], id: string, slot: string): boolean {
  return packages.some(({ underReview, loaded: { catalog } }) => {
    if (underReview !== undefined || catalog?.package.id !== id) return false;
    return catalog.package.slots.some((it) => it.name === slot && !it.secret);
  });
}

/**
 * What was granted to installed packages, as `PACKAGE=GRANT`. Only if the package that has the id is the installed one: a
 * folder with the same id gets nothing of it.
 */
export function installedGrants(packages: readonly CheckedPackage[]): string[] {
  const owners = new Map<string, CheckedPackage>();
  for (const it of packages) {
    const id = it.loaded.catalog?.package.id;
    if (id !== undefined && !owners.has(id)) owners.set(id, it);
  }
  return [...owners].flatMap(([id, { loaded }]) =>
    (loaded.installed?.grants ?? []).map((grant) => `${id}=${grant}`),
  );
}
