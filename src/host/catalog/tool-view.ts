import type { JsonObject } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { reservedToolNames } from '../../model/tool-name.js';
import { type CheckValue, fixedProblems, withoutFixed } from '../../policy/sets/fixed-schema.js';
import { foldName, showsTool, viewOf } from '../../policy/sets/set-scope.js';
import { viewDigest } from '../operator/set-digest.js';
import type { SetInForce } from '../operator/tool-sets.js';

/** How a session shows one tool. */
export interface SessionToolView {
  /** Callers cannot see or call it. Other tools of its package can. */
  readonly hidden: boolean;
  /** The name for clients. */
  readonly exposed: string;
  readonly renamed: boolean;
  /** The tool as models read it. */
  readonly shown: Tool;
  readonly fixed: JsonObject;
  /** Digest of what the set changes about the tool; null if nothing. */
  readonly digest: string | null;
  /** Why the set cannot be applied to the tool as it is now; it is not offered then. */
  readonly problem: string | undefined;
}

/** A tool to show, with its name for clients in a session without a set. */
export interface ToolToShow {
  readonly packageId: string;
  readonly tool: Tool;
  readonly exposed: string;
}

export function hasFixedArguments(inForce: SetInForce | null): boolean {
  return Object.values(inForce?.set?.tools ?? {}).some((it) => it.arguments !== undefined);
}

/** How a set shows the tools of a session. `check`: validates values, for fixed arguments. */
export function toolViews(
  tools: readonly ToolToShow[],
  inForce: SetInForce | null,
  check: CheckValue,
): readonly SessionToolView[] {
  if (inForce === null) return tools.map(plainView);
  const owners = new Map(tools.map((it) => [foldName(it.exposed), it]));
  return tools.map((it) => {
    const { set, name: setName } = inForce;
    const name = `${it.packageId}/${it.tool.name}`;
    if (set === null) return { ...plainView(it), hidden: true };
    const { name: exposed, description, arguments: fixed = {} } = viewOf(set, name);
    const problem =
      (exposed === undefined ? undefined : nameProblem(exposed, owners, it)) ??
      fixedProblem(it.tool, fixed, check);
    const input =
      problem !== undefined || Object.keys(fixed).length === 0
        ? it.tool.input
        : withoutFixed(it.tool.input, fixed, check);
    return {
      hidden: !showsTool(set, name),
      exposed: exposed ?? it.exposed,
      renamed: exposed !== undefined,
      shown: { ...it.tool, ...(description === undefined ? {} : { description }), input },
      fixed,
      digest: viewDigest(set, name),
      problem: problem === undefined ? undefined : `the set ${setName} cannot show ${name}: ${problem}`,
    };
  });
}

function plainView({ tool, exposed }: ToolToShow): SessionToolView {
  const plain = { hidden: false, renamed: false, fixed: {}, digest: null, problem: undefined };
  return { ...plain, exposed, shown: tool };
}

/** A name that another tool has, or could have without a set, would let one pass for the other. */
function nameProblem(
  name: string,
  owners: ReadonlyMap<string, ToolToShow>,
  tool: ToolToShow,
): string | undefined {
  const owner = owners.get(foldName(name));
  if (owner !== undefined && owner !== tool)
    return `${owner.packageId}/${owner.tool.name} has the name ${name} already`;
  return reservedToolNames.has(name) ? `the name ${name} is reserved for the host` : undefined;
}

function fixedProblem(tool: Tool, fixed: JsonObject, check: CheckValue): string | undefined {
  if (Object.keys(fixed).length === 0) return undefined;
  const problems = fixedProblems(tool.input, fixed, check);
  return problems.length === 0 ? undefined : `its fixed arguments are not valid: ${problems.join('; ')}`;
}
