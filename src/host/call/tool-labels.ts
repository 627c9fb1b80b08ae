import type { Package } from '../../model/package.js';
import type { CallAccess } from '../../model/permissions.js';
import {
  defaultTaintMode,
  parseHiddenInput,
  parseHideSetting,
  parseModeSetting,
} from '../../model/taint-setting.js';
import type { Tool } from '../../model/tool.js';
import { matchesToolName, type ToolReach } from '../../policy/rules/tool-rules.js';
import { withInputSettings } from '../../policy/taint/input-setting.js';
import { knownLabels } from '../../policy/taint/known-servers/known-servers.js';
import { givenLabels } from '../../policy/taint/label-overlay.js';
import type { TaintMode } from '../../policy/taint/taint-verdict.js';
import { labelsOf, type ToolLabels } from '../../policy/taint/tool-labels.js';
import type { TaintPolicy } from '../session-policy.js';
import type { SessionSetup } from '../session-setup.js';
import type { ToolHiding } from './tool-hiding.js';

interface LabeledTool {
  /** `package/tool`. */
  readonly name: string;
  readonly access: CallAccess;
  readonly reach: ToolReach;
  readonly setup: Pick<SessionSetup, 'policy' | 'principal'>;
}

/** How calls of a tool are judged. */
export function toolTaint(
  pkg: Package,
  tool: Tool,
  labeled: LabeledTool,
): { readonly labels: ToolLabels; readonly taintMode: TaintMode; readonly hiding: ToolHiding } {
  const { policy, principal } = labeled.setup;
  return {
    labels: toolLabelsOf(pkg, tool, labeled),
    taintMode: taintModeOf(policy.taint, { package: pkg.id, principal }),
    hiding: hidingOf(policy.taint, labeled.name),
  };
}

/**
 * What the judge knows about a tool: what the operator says, else what a reviewer decided about a known server, else what its
 * package declares. Undeclared means strict. Single inputs of the operator come last.
 */
function toolLabelsOf(
  pkg: Package,
  tool: Tool,
  { name, access, reach, setup: { policy } }: LabeledTool,
): ToolLabels {
  const { slots, permissions } = pkg;
  const kind = tool.action?.kind;
  // A composed tool does nothing itself: the call that it makes is judged too.
  const isOutside = kind === 'http' || (kind === 'upstream' && !reach.usesNetwork && !reach.writesWorkspace);
  const runs = kind === 'exec' || kind === 'function' || kind === 'upstream';
  const declared = labelsOf({
    ...tool,
    network: isOutside || reach.usesNetwork || (runs && slots.length > 0),
    anyHost: runs && reach.usesNetwork && access.network.kind === 'public',
    // What it stored in an earlier session comes back too.
    files:
      runs &&
      (access.filesystem !== 'none' || permissions.stateDirectory || (permissions.folders ?? []).length > 0),
  });
  const reviewed = givenLabels(policy.taint?.labels, name) ?? knownLabels(pkg, upstreamName(tool));
  const merged = reviewed === undefined ? declared : withDeclaredInputs(reviewed, declared);
  const labels = withInputSettings(merged, name, policy.taint?.inputs ?? []);
  const isTrusted = (policy.trusted ?? []).some((it) => matchesToolName(it, name));
  return isTrusted ? { ...labels, trustedResult: true } : labels;
}

function hidingOf({ hide = [], hiddenInputs = [] }: TaintPolicy = {}, name: string): ToolHiding {
  const sizes = hide.flatMap((text) => {
    const setting = parseHideSetting(text);
    return setting !== undefined && matchesToolName(setting.tool, name) ? [setting.characters] : [];
  });
  const inputs = hiddenInputs.flatMap((text) => {
    const setting = parseHiddenInput(text);
    return setting !== undefined && matchesToolName(setting.tool, name) ? [setting.input] : [];
  });
  return { from: sizes.length === 0 ? null : Math.min(...sizes), inputs: new Set(inputs) };
}

/** The name that a server gave to its tool. */
function upstreamName({ name, action }: Tool): string {
  return action?.kind === 'upstream' ? action.tool : name;
}

/** Inputs that a reviewer did not know, such as those of a later version, keep what their schema says. */
function withDeclaredInputs(reviewed: ToolLabels, declared: ToolLabels): ToolLabels {
  return {
    ...reviewed,
    inputs: new Map([...declared.inputs, ...reviewed.inputs]),
    enums: new Set([...declared.enums, ...reviewed.enums]),
    ...(declared.keys === undefined ? {} : { keys: declared.keys }),
  };
}

/** The mode for calls of a package by a principal. */
export function taintModeOf(
  { mode = defaultTaintMode, packages = [], clients = [] }: TaintPolicy = {},
  subject: { readonly package: string; readonly principal: string },
): TaintMode {
  const named = (list: readonly string[], name: string) =>
    list.map(parseModeSetting).find((it) => it?.name === name)?.mode;
  return named(packages, subject.package) ?? named(clients, subject.principal) ?? mode;
}
