import { upstreamPrograms } from '../../model/package.js';
import { findHidden } from '../../model/unicode.js';
import type { PackageInstructions } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { PackageUpstreams } from './package-upstreams.js';
import { packageOf } from './upstream-program.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

/** The accepted instructions of MCP servers, joined per package. Changed ones are left out until somebody accepts them. */
export function upstreamInstructions(
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
): PackageInstructions[] {
  return packages.flatMap((checked) => {
    const pkg = packageOf(checked);
    const known = upstreams.announcements(checked);
    const texts = upstreamPrograms(pkg).flatMap(({ name }) => acceptedText(known.get(name)));
    return texts.length === 0 ? [] : [{ package: pkg.id, text: texts.join('\n\n') }];
  });
}

function acceptedText(known: ProgramAnnouncement | undefined): string[] {
  if (known === undefined) return [];
  const { agreed, waiting } = known;
  const text = agreed.instructions?.trim() ?? '';
  const isChanged = waiting !== null && waiting.instructions !== agreed.instructions;
  return text === '' || isChanged || [...findHidden(text)].length > 0 ? [] : [text];
}
