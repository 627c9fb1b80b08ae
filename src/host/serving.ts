import { exposedNames } from './names.js';
import type { Judged } from './readiness.js';
import { type ServedTool, serveTool, type ToolServices } from './tool.js';

/** The tools of packages. A second package of the same id is shown, but its tools have no name of their own to be called by. */
export function serveAll(judged: readonly Judged[], road: ToolServices): ServedTool[] {
  const ids = new Set<string>();
  const listed = judged.flatMap((it) => {
    const of = it.loaded.catalog?.package;
    if (of === undefined || ids.has(of.id)) return [];
    ids.add(of.id);
    const { tools } = road.announcing.offer(it);
    return tools.map((offered) => ({ judged: it, of, offered, only: tools.length === 1 }));
  });
  const names = exposedNames(
    listed.map(({ of, offered, only }) => ({ packageId: of.id, tool: offered.tool.name, only })),
  );
  return listed.map(({ judged: it, offered }, index) => serveTool(it, offered, names[index] as string, road));
}
