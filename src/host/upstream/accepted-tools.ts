import { upstreamPrograms } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';
import type { AcceptedPackage } from '../packages/accepted-packages.js';
import type { AnnouncementRegistry } from './announcement-registry.js';
import { createOffer } from './upstream-tools.js';

/** The tools of accepted packages with one id, as far as their programs announced them. Null: no package has this id. */
export async function acceptedTools(
  accepted: readonly AcceptedPackage[],
  announcements: AnnouncementRegistry,
): Promise<readonly Tool[] | null> {
  if (accepted.length === 0) return null;
  const tools: Tool[] = [];
  for (const { package: pkg, manifest, digest } of accepted) {
    await announcements.load(manifest);
    const known = upstreamPrograms(pkg).flatMap(({ name: program }) => {
      const announced = announcements.get({ manifest, digest, program });
      return announced === undefined ? [] : [[program, announced] as const];
    });
    tools.push(...createOffer(pkg, new Map(known)).tools.map((it) => it.tool));
  }
  return tools;
}
