import type { CheckedPackage } from './checked-package.js';
import { exposedNames } from './exposed-names.js';
import { createSessionTool, type SessionTool, type SessionToolServices } from './session-tool.js';

/** The tools of all packages. A second package with the same id has none: its tools would have no unique names. */
export function createSessionTools(
  packages: readonly CheckedPackage[],
  context: SessionToolServices,
): SessionTool[] {
  const ids = new Set<string>();
  const listed = packages.flatMap((it) => {
    const pkg = it.loaded.catalog?.package;
    if (pkg === undefined || ids.has(pkg.id)) return [];
    ids.add(pkg.id);
    const { tools } = context.upstreams.offer(it);
    return tools.map((offered) => ({ checked: it, pkg, offered, only: tools.length === 1 }));
  });
  const names = exposedNames(
    listed.map(({ pkg, offered, only }) => ({ packageId: pkg.id, tool: offered.tool.name, only })),
  );
  return listed.map(({ checked: it, offered }, index) =>
    createSessionTool(it, offered, names[index] as string, context),
  );
}
