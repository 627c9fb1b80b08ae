import type { Package } from '../../model/package.js';
import { shellQuote } from '../../model/shell-quote.js';
import { missingValues } from '../../secrets/missing-values.js';
import {
  type CheckedPackage,
  missingInstallations,
  type PackageStatus,
} from '../packages/checked-package.js';
import { imageStatus } from '../packages/image-status.js';
import type { ReleaseConcern } from '../packages/release-concern.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import { filledSlots } from '../sandboxing/slots.js';
import type { SessionSetup } from '../session-setup.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';
import { neededSignIns } from '../upstream/sign-in-server.js';
import { hasUpstreams } from '../upstream/upstream-program.js';
import type { SessionServices } from './session-services.js';

/** What the status of a package depends on. */
export interface PackageStatusServices {
  readonly services: SessionServices;
  readonly setup: SessionSetup;
  readonly upstreams: PackageUpstreams;
}

/** The current status of a package; computed for every call. `disabled`: ids of disabled packages. */
export async function packageStatus(
  checked: CheckedPackage,
  disabled: ReadonlySet<string>,
  context: PackageStatusServices,
): Promise<PackageStatus> {
  const status = await packageStatusWithoutUpstreams(checked, disabled, context);
  if (status.state !== 'ready' || !hasUpstreams(checked)) return status;
  const { upstreams } = context;
  const { requestedSignIns } = context.services.upstreams;
  await requestedSignIns.load();
  const signIns = neededSignIns(checked, requestedSignIns);
  if (signIns.length > 0) return { state: 'needs-setup', reasons: signIns };
  const problem = upstreams.problem(checked);
  if (problem !== undefined) return { state: 'unavailable', reasons: [problem], code: 'upstream_failed' };
  const { remarks, tools } = upstreams.offer(checked);
  const pkg = checked.loaded.catalog?.package;
  // All that the manifest lists is missing in what the program announced.
  const lacksAll = pkg?.announcesTools === false && pkg.tools.length > 0 && tools.length === 0;
  if (lacksAll && remarks.length > 0) {
    const next = 'correct the tool names in the manifest, or get another version of the program';
    return { state: 'unavailable', reasons: [...remarks, next], code: 'upstream_failed' };
  }
  const changes = waitingChanges(checked, upstreams);
  const more = [
    ...upstreams.lastFailures(checked),
    ...upstreams.unknownTools(checked),
    ...remarks,
    ...changes,
  ];
  return {
    ...status,
    reasons: [...status.reasons, ...more],
    ...(changes.length === 0 ? {} : { announcedChanges: true }),
  };
}

/** The current status of each package. */
export async function packageStatuses(
  packages: readonly CheckedPackage[],
  context: PackageStatusServices,
): Promise<ReadonlyMap<CheckedPackage, PackageStatus>> {
  const disabled = await context.services.packages.switches.asSet();
  const statuses = new Map<CheckedPackage, PackageStatus>();
  for (const it of packages) {
    const status = await packageStatus(it, disabled, context);
    const concerns = status.state === 'disabled' ? [] : await concernsAbout(it, context.services);
    const remarks = [
      ...concerns.map(({ text }) => text),
      ...context.services.violations.remarks(it.loaded.catalog?.package.id ?? ''),
    ];
    statuses.set(it, remarks.length === 0 ? status : { ...status, reasons: [...status.reasons, ...remarks] });
  }
  return statuses;
}

/** The packages that are ready as far as that does not depend on their upstreams, which may start then. */
export async function startablePackages(
  packages: readonly CheckedPackage[],
  context: PackageStatusServices,
): Promise<readonly CheckedPackage[]> {
  const disabled = await context.services.packages.switches.asSet();
  const startable: CheckedPackage[] = [];
  for (const it of packages) {
    const { state } = await packageStatusWithoutUpstreams(it, disabled, context);
    if (state === 'ready') startable.push(it);
  }
  return startable;
}

/** The status without the state and the announcements of upstreams: enough to decide whether they may start. */
async function packageStatusWithoutUpstreams(
  checked: CheckedPackage,
  disabled: ReadonlySet<string>,
  { services, setup }: PackageStatusServices,
): Promise<PackageStatus> {
  const pkg = checked.loaded.catalog?.package;
  const subject = { principal: setup.principal, package: pkg?.id ?? '' };
  const killed = pkg === undefined ? undefined : services.kills.reasonFor(subject);
  if (killed !== undefined) return { state: 'killed', reasons: [killed], code: 'killed' };
  if (pkg !== undefined && disabled.has(pkg.id))
    return { state: 'disabled', reasons: [`it is disabled. Enable it: toolwharf enable ${pkg.id}`] };
  if (pkg !== undefined && setup.policy.onQuarantine === 'disable') {
    const grave = (await concernsAbout(checked, services)).filter((it) => it.isGrave);
    const next = 'get another version, or change registry.on_quarantine in the configuration';
    if (grave.length > 0) return { state: 'disabled', reasons: [...grave.map((it) => it.text), next] };
  }
  const { blocked } = checked;
  if (pkg === undefined) return blocked ?? { state: 'broken', reasons: [] };
  if (blocked !== null && blocked.state !== 'unavailable') return blocked;
  if (needsNoSetup(checked, pkg)) return blocked ?? { state: 'ready', reasons: checked.remarks };
  const { environments, containers } = services.sandboxing;
  const filled = await filledSlots(pkg, services.secrets.vault, passedEnvironment(setup, pkg.id));
  const reasons = [
    ...missingValues(pkg, (slot) => filled.has(slot)),
    ...missingInstallations(checked, (need) => environments.find(need) !== undefined),
    ...missingNatsServer(pkg, setup.policy.natsUrl),
  ];
  const image = await imageStatus(checked, containers);
  if (image?.state === 'needs-setup') reasons.push(...image.reasons);
  // Everything that is missing is reported together.
  if (blocked !== null) return { ...blocked, reasons: [...blocked.reasons, ...reasons] };
  if (reasons.length > 0) return { state: 'needs-setup', reasons };
  return image ?? { state: 'ready', reasons: checked.remarks };
}

/** What registries say against a package; empty if it is not installed. */
async function concernsAbout(
  { loaded: { installed } }: CheckedPackage,
  { releaseWatch }: SessionServices,
): Promise<readonly ReleaseConcern[]> {
  return installed === undefined ? [] : releaseWatch.concerns(installed);
}

/** True if the package needs no values, installations, images or NATS server, so that the checks can be skipped. */
function needsNoSetup({ needs }: CheckedPackage, pkg: Package): boolean {
  return (
    pkg.slots.length === 0 &&
    needs.every((it) => it.packages === null && it.image === undefined) &&
    pkg.programs.every((it) => it.target.kind !== 'nats')
  );
}

/** Announced changes that wait for a review. Unchanged tools can still be called. */
function waitingChanges(checked: CheckedPackage, upstreams: PackageUpstreams): string[] {
  if (upstreams.waitingAnnouncements(checked).size === 0) return [];
  const { tools } = upstreams.offer(checked);
  const changed = tools.filter((it) => it.needsReview).map((it) => it.tool.name);
  const what = changed.length === 0 ? '' : ` to ${changed.slice(0, 5).join(', ')}`;
  return [`its program announced changes${what}; review them: ${reviewCommand(checked)}`];
}

/** For a tool that a program announces, but that nobody accepted yet. */
export function unacceptedToolStatus(checked: CheckedPackage): PackageStatus {
  const nextStep = `review it: ${reviewCommand(checked)}`;
  const why = 'its program announces it, and nobody has accepted it yet';
  return { state: 'needs-review', reasons: [why, nextStep], nextStep };
}

function reviewCommand({ loaded: { catalog, file } }: CheckedPackage): string {
  return `toolwharf review ${shellQuote(catalog?.package.id ?? '')} --dir ${shellQuote(file)}`;
}

/** Why a package with NATS programs is not set up, with the next step; empty if it is. */
function missingNatsServer(pkg: Package, natsUrl: string | undefined): string[] {
  if (natsUrl !== undefined || !pkg.programs.some((it) => it.target.kind === 'nats')) return [];
  return [
    'its program answers over NATS, and no NATS server is configured. Set one: --nats-url nats://127.0.0.1:4222, or nats.url in the configuration',
  ];
}
