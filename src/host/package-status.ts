import type { Package } from '../model/package.js';
import { shellWord } from '../model/shell-word.js';
import { missingValues } from '../secrets/missing.js';
import { missingBus } from './bus.js';
import { imageStatus } from './images.js';
import type { PackageUpstreams } from './package-upstreams.js';
import { type Judged, type PackageStatus, uninstalled } from './readiness.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import { filledSlots } from './slots.js';
import { passedIn } from './tool.js';
import { hasUpstreams } from './upstream-program.js';

/** What the state of a package is found out with. Everything that can change is asked anew each time. */
export interface PackageStatusServices {
  readonly machinery: SessionServices;
  readonly setup: SessionSetup;
  readonly announcing: PackageUpstreams;
}

/** The state of a package now. `off`: ids of packages that are switched off. */
export async function packageStatus(
  judged: Judged,
  off: ReadonlySet<string>,
  road: PackageStatusServices,
): Promise<PackageStatus> {
  const equipped = await packageStatusBeforePrograms(judged, off, road);
  if (equipped.state !== 'ready' || !hasUpstreams(judged)) return equipped;
  const { announcing } = road;
  const trouble = announcing.trouble(judged);
  if (trouble !== undefined) return { state: 'unavailable', reasons: [trouble], code: 'upstream_failed' };
  const reasons = [...equipped.reasons, ...announcing.offer(judged).remarks, ...news(judged, announcing)];
  return { ...equipped, reasons };
}

/** The state of a package but for what its programs say and how they are doing. */
export async function packageStatusBeforePrograms(
  judged: Judged,
  off: ReadonlySet<string>,
  { machinery, setup }: PackageStatusServices,
): Promise<PackageStatus> {
  const of = judged.loaded.catalog?.package;
  const subject = { principal: setup.principal, package: of?.id ?? '' };
  const killed = of === undefined ? undefined : machinery.kills.reasonFor(subject);
  if (killed !== undefined) return { state: 'killed', reasons: [killed], code: 'killed' };
  if (of !== undefined && off.has(of.id))
    return { state: 'disabled', reasons: [`it is switched off. Switch it on: toolwharf enable ${of.id}`] };
  if (judged.fixed !== null || of === undefined) return judged.fixed ?? { state: 'broken', reasons: [] };
  if (lacksNothing(judged, of)) return { state: 'ready', reasons: judged.remarks };
  const { vault, environments } = machinery;
  const filled = await filledSlots(of, vault, passedIn(setup, of.id));
  const reasons = [
    ...missingValues(of, (slot) => filled.has(slot)),
    ...uninstalled(judged, (need) => environments.find(need) !== undefined),
    ...missingBus(of, setup.policy.natsUrl),
  ];
  const image = await imageStatus(judged, machinery.containers);
  if (image?.state === 'needs-setup') reasons.push(...image.reasons);
  if (reasons.length > 0) return { state: 'needs-setup', reasons };
  return image ?? { state: 'ready', reasons: judged.remarks };
}

/** Nothing has to be set, installed, fetched or named for it, now or later. */
function lacksNothing({ needs }: Judged, of: Package): boolean {
  return (
    of.slots.length === 0 &&
    needs.every((it) => it.packages === null && it.image === undefined) &&
    of.programs.every((it) => it.target.kind !== 'nats')
  );
}

/** What a program says that nobody agreed to yet. The tools that did not change are served meanwhile. */
function news(judged: Judged, announcing: PackageUpstreams): string[] {
  if (announcing.waiting(judged).size === 0) return [];
  const { tools } = announcing.offer(judged);
  const held = tools.filter((it) => it.held).map((it) => it.tool.name);
  const what = held.length === 0 ? '' : ` of ${held.slice(0, 5).join(', ')}`;
  const id = judged.loaded.catalog?.package.id ?? '';
  const command = `toolwharf review ${shellWord(id)} --dir ${shellWord(judged.loaded.file)}`;
  return [`its program says something new${what}; look at it, and agree or not: ${command}`];
}
