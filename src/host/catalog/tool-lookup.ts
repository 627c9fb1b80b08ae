import { suggest } from '../../formats/suggest.js';
import { isAppOnly } from '../../model/app-resource.js';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import { splitToolName } from '../../model/tool-name.js';
import { notReadyError } from '../call/callable-tool.js';
import type { SessionNames } from '../operator/kill-targets.js';
import type { CheckedPackage, PackageStatus } from '../packages/checked-package.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';
import { unacceptedToolStatus } from './package-status.js';
import type { SessionTool } from './session-tool.js';

/** Finds tools of a session by name. */
export class ToolIndex {
  readonly #tools: readonly SessionTool[];
  #byName: ReadonlyMap<string, SessionTool> | undefined;

  constructor(tools: readonly SessionTool[]) {
    this.#tools = tools;
  }

  /** By `package/tool`, by the exposed name, or by a shorter name that only one tool has. */
  find(name: string): SessionTool | undefined {
    this.#byName ??= indexOf(this.#tools);
    return this.#byName.get(name) ?? onlyToolNamed(this.#tools, name);
  }
}

/** `package/tool` wins over an equal exposed name. If two tools have the same name, the first wins. */
function indexOf(tools: readonly SessionTool[]): ReadonlyMap<string, SessionTool> {
  const index = new Map<string, SessionTool>();
  for (const it of tools.toReversed()) index.set(it.exposed, it);
  for (const it of tools.toReversed()) index.set(it.name, it);
  return index;
}

/**
 * The id of a package means its only tool. The name of a tool is enough if no other package has it. A name with a
 * slash always means `package/tool`, so that an upstream cannot imitate a missing package by such a tool name.
 */
function onlyToolNamed(tools: readonly SessionTool[], name: string): SessionTool | undefined {
  if (name.includes('/')) return undefined;
  for (const matches of [
    tools.filter((it) => it.package.id === name),
    tools.filter((it) => it.tool.name === name),
  ]) {
    if (matches.length === 1) return matches[0];
  }
  return undefined;
}

/** Whether a caller must not learn that a package has a tool. */
type IsHidden = (checked: CheckedPackage, name: string) => boolean;

/** Finds a tool for another tool of its package, which may use hidden ones too. */
export function toolForTool(
  tools: readonly SessionTool[],
  name: string,
  from: string,
): SessionTool | undefined {
  const [packageId] = splitToolName(from);
  return tools.find((it) => it.name === name && it.package.id === packageId);
}

/**
 * The package that a tool name means although its tools are not known yet: by id, or by a tool that only it declares.
 */
export function packageNamedBy(
  packages: readonly CheckedPackage[],
  name: string,
  isHidden: IsHidden,
): CheckedPackage | undefined {
  const declares = (it: CheckedPackage) =>
    !isHidden(it, name) && it.loaded.catalog?.package.tools.some((tool) => tool.name === name);
  const id = (it: CheckedPackage) => it.loaded.catalog?.package.id;
  const byId = packages.find((it) => id(it) === name || name.startsWith(`${id(it)}/`));
  const declaring = packages.filter(declares);
  return byId ?? (declaring.length === 1 ? declaring[0] : undefined);
}

function declaresTool({ loaded }: CheckedPackage, name: string): boolean {
  const pkg = loaded.catalog?.package;
  const isNamed = (it: string) => it === name || `${pkg?.id}/${it}` === name;
  return pkg?.tools.some((it) => it.action?.kind === 'upstream' && isNamed(it.name)) === true;
}

/** The error of a session that only looks, for a tool of a program that has announced nothing yet. */
function toolNotAnnounced({ loaded }: CheckedPackage, name: string, why: readonly string[]): HostError {
  const start = `toolwharf call ${shellQuote(name)} --dir ${shellQuote(loaded.file)}`;
  return new HostError('unavailable', `${JSON.stringify(name)} is not known yet: ${why.join('; ')}`, {
    hint: `start the program by a call, or serve the package: ${start}`,
  });
}

/** The package that a name means, if it means one, and its status. */
interface NamedPackage {
  readonly named: CheckedPackage | undefined;
  readonly status: PackageStatus | undefined;
  readonly upstreams: Pick<PackageUpstreams, 'hasUnacceptedTool' | 'unknownTools'>;
  readonly isHidden: IsHidden;
}

/** The error for an unknown tool name: why its package is not ready, or similar names as a hint. */
export function toolNotFound(
  tools: readonly SessionTool[],
  packages: readonly CheckedPackage[],
  name: string,
  { named, status, upstreams, isHidden }: NamedPackage,
): HostError {
  // What is known about a hidden tool must not make a difference.
  const isKnown = named !== undefined && !isHidden(named, name);
  if (isKnown && upstreams.hasUnacceptedTool(named, name))
    return notReadyError(name, unacceptedToolStatus(named));
  const unknown = named === undefined ? [] : upstreams.unknownTools(named);
  if (named !== undefined && status?.state === 'ready' && unknown.length > 0)
    return toolNotAnnounced(named, name, unknown);
  if (status !== undefined && status.state !== 'ready' && !tools.some((it) => it.checked === named))
    return notReadyError(name, status);
  if (isKnown && declaresTool(named, name)) {
    const message = `${JSON.stringify(name)} is declared by its manifest, but its program does not announce it`;
    const hint = 'correct the program, or remove the tool from the manifest';
    return new HostError('tool_not_found', message, { hint });
  }
  const [only] = packages;
  if (tools.length === 0 && packages.length === 1 && only?.blocked) return notReadyError(name, only.blocked);
  // Similar names first: tools of the package that was named, and names that contain the given one.
  const forModels = tools.filter((it) => !isAppOnly(it.tool));
  const near = forModels.filter((it) => name.startsWith(`${it.package.id}/`) || it.name.includes(name));
  const suggestion = nearest(forModels, name);
  const shown = [...new Set([...near, ...forModels])].slice(0, 8).map((it) => it.name);
  const hint =
    tools.length === 0
      ? 'no package of this session has tools'
      : `${suggestion === undefined ? '' : `did you mean ${suggestion}? `}available tools: ${shown.join(', ')}${forModels.length > shown.length ? ', …' : ''}`;
  return new HostError('tool_not_found', `no tool named ${JSON.stringify(name)}`, { hint });
}

/** The tool with the most similar full or short name; undefined if none is similar. */
function nearest(tools: readonly SessionTool[], name: string): string | undefined {
  const full = suggest(
    name,
    tools.map((it) => it.name),
  );
  if (full !== undefined) return full;
  const short = suggest(
    name,
    tools.map((it) => it.tool.name),
  );
  return tools.find((it) => it.tool.name === short)?.name;
}

/** Finds a package that is not broken; throws `not_found` otherwise. */
export function findPackage(packages: readonly CheckedPackage[], id: string): CheckedPackage {
  const valid = packages.filter((it) => it.loaded.catalog !== undefined);
  const found = valid.find((it) => it.loaded.catalog?.package.id === id);
  if (found !== undefined) return found;
  const ids = valid.map((it) => it.loaded.catalog?.package.id).slice(0, 8);
  throw new HostError('not_found', `no valid package named ${JSON.stringify(id)}`, {
    hint: ids.length === 0 ? 'name its folder with --dir' : `available packages: ${ids.join(', ')}`,
  });
}

/** The names that a person may use for what a session has. */
export function sessionNames(
  principal: string,
  packages: readonly CheckedPackage[],
  tools: readonly Pick<SessionTool, 'name'>[],
): SessionNames {
  return {
    principal,
    packages: packages.flatMap((it) => it.loaded.catalog?.package.id ?? []),
    tools: tools.map((it) => it.name),
  };
}
