import type { Package } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';

/** Tools of a package that can never answer here, by name, with the reason and the next step. */
export function unansweredTools(pkg: Package, all: readonly Package[]): ReadonlyMap<string, string> {
  return new Map(
    pkg.tools.flatMap((tool) => {
      const reason = reasonOf(tool, all);
      return reason === undefined ? [] : [[tool.name, reason] as const];
    }),
  );
}

function reasonOf({ name, action }: Tool, all: readonly Package[]): string | undefined {
  if (action === null)
    return `its manifest defines no action for ${name}; add one, or ask its author for a version that has one`;
  if (action.kind !== 'compose') return undefined;
  const target = all.find((it) => it.id === action.package);
  if (target === undefined)
    return `its tool ${name} calls ${action.package}/${action.tool}, and there is no package ${action.package} here; add its folder`;
  return target.announcesTools || target.tools.some((it) => it.name === action.tool)
    ? undefined
    : `its tool ${name} calls ${action.package}/${action.tool}, but ${action.package} has no such tool`;
}

/** The reasons why a package has nothing that can be called; empty if it has something. */
export function whollyUnanswered(
  { tools, prompts, announcesTools }: Package,
  unanswered: ReadonlyMap<string, string>,
): readonly string[] {
  // Its prompts can be used without its tools.
  const isWhole =
    tools.length > 0 &&
    prompts.length === 0 &&
    !announcesTools &&
    tools.every((it) => unanswered.has(it.name));
  return isWhole ? shortened([...unanswered.values()]) : [];
}

const maxShown = 3;

/** A few reasons stand for all. */
export function shortened(reasons: readonly string[]): readonly string[] {
  const rest = reasons.length - maxShown;
  return rest <= 0 ? reasons : [...reasons.slice(0, maxShown), `and ${rest} more tools cannot be called`];
}
