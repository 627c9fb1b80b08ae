import { type Package, upstreamPrograms } from '../../model/package.js';
import type { UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import type { ProgramRef } from './announcement-registry.js';
import type { UpstreamServices } from './upstream-services.js';
import { createOffer, type ProgramAnnouncement } from './upstream-tools.js';

/** Stores the announcements of one connection. */
export interface AnnouncementRecorder {
  /** Compares an announcement with the accepted one and stores it. Approvals of tools that need review become void. */
  record(announced: UpstreamAnnouncement): Promise<void>;
  /** What the operator accepted by now. */
  agreed(): UpstreamAnnouncement;
}

/** `onChangedTools`: accepted tools of this version of the package are announced differently. */
export function announcementRecorder(
  pkg: Package,
  ref: ProgramRef,
  { announcements, offers, onOutdatedTool }: UpstreamServices,
  onChangedTools: (names: readonly string[]) => void,
): AnnouncementRecorder {
  // For a connection that is still in use while another version of the package has announced its tools already.
  let last: ProgramAnnouncement | undefined;
  const voidApprovals = async (waiting: ProgramAnnouncement) => {
    const known = upstreamPrograms(pkg).flatMap(({ name: program }) => {
      const it = program === ref.program ? waiting : announcements.get({ ...ref, program });
      return it === undefined ? [] : [[program, it] as const];
    });
    const changed = createOffer(pkg, new Map(known)).tools.filter((it) => it.needsReview);
    for (const { tool } of changed) await onOutdatedTool(offers.digestOf(ref.digest, tool));
    // Another version of the package may announce other tools: somebody accepted that version.
    if (changed.length > 0 && announcements.get(ref) !== undefined)
      onChangedTools(changed.map((it) => it.tool.name));
  };
  return {
    async record(announced) {
      last = await announcements.record(ref, announced, voidApprovals);
    },
    agreed() {
      const known = announcements.get(ref) ?? last;
      if (known === undefined) throw new Error('the announcement was not recorded yet');
      return known.agreed;
    },
  };
}
