import { splitToolName } from '../../model/tool-name.js';
import type { ToolSet, ToolView } from '../../model/tool-set.js';
import { matchesToolName } from '../rules/tool-rules.js';

const nothing: ToolView = {};

/** What a set changes about one tool. */
export function viewOf({ tools }: ToolSet, name: string): ToolView {
  return Object.hasOwn(tools, name) ? (tools[name] as ToolView) : nothing;
}

/** Whether a set shows a tool, given as `PACKAGE/TOOL`. */
export function showsTool(set: ToolSet, name: string): boolean {
  const { only } = set;
  if (!matchesPackages(set, splitToolName(name)[0])) return false;
  if (only !== undefined && !only.some((it) => matchesToolName(it, name))) return false;
  return !hides(set, name);
}

/** Whether a set has anything of a package: its tools, prompts and resources. */
export function showsPackage(set: ToolSet, id: string): boolean {
  const { only, tools } = set;
  if (!matchesPackages(set, id)) return false;
  if (only !== undefined && !only.some((it) => matchesToolName(splitToolName(it)[0], id))) return false;
  const isShown = (key: string) => key.startsWith(`${id}/`) && tools[key]?.hidden === false;
  return !hides(set, `${id}/*`) || Object.keys(tools).some(isShown);
}

function matchesPackages({ packages }: ToolSet, id: string): boolean {
  return packages === undefined || packages.some((it) => matchesToolName(it, id));
}

/**
 * What a set says about the very tool wins. Otherwise a tool is hidden if its name differs from a hidden one only in case
 * or in how its characters are written: a program could announce such a twin to escape.
 */
function hides(set: ToolSet, name: string): boolean {
  const own = viewOf(set, name).hidden;
  if (own !== undefined) return own;
  const folded = foldName(name);
  const whole = `${splitToolName(folded)[0]}/*`;
  return Object.entries(set.tools).some(([key, { hidden }]) => {
    if (hidden !== true) return false;
    const hiddenName = foldName(key);
    return hiddenName === folded || hiddenName === whole;
  });
}

/** The name without differences that a reader could overlook. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
