// Whether a tool of an upstream may be called with the definition that somebody accepted.
import type { Package } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';
import { type AnnouncementMap, createOffer, type ToolOffer } from './upstream-tools.js';

type UpstreamAction = Extract<Tool['action'], { readonly kind: 'upstream' }>;

export function upstreamAction({ action }: Tool): UpstreamAction {
  if (action?.kind !== 'upstream') throw new Error('only tools of upstreams are called here');
  return action;
}

/** Why a tool cannot be called with this definition; undefined if it can. */
export function outdatedToolReason(
  { tools }: ToolOffer,
  known: AnnouncementMap,
  tool: Tool,
  digestOf: (tool: Tool) => string,
): string | undefined {
  const offered = tools.find((it) => it.tool.name === tool.name);
  if (offered === undefined) return 'its program no longer offers it';
  if (offered.needsReview) {
    const { program, tool: name } = upstreamAction(tool);
    const announced = known.get(program)?.waiting?.tools ?? [];
    return announced.some((it) => it.name === name)
      ? 'its announcement changed since you accepted it'
      : 'its program no longer offers it';
  }
  const isSame = offered.tool === tool || digestOf(offered.tool) === digestOf(tool);
  return isSame ? undefined : 'its definition was replaced a moment ago; call it again';
}

/** Whether a waiting announcement contains the tool `package/tool`, which nobody accepted yet. */
export function isUnacceptedTool(pkg: Package, waiting: AnnouncementMap, name: string): boolean {
  const announced = [...waiting].flatMap(([program, it]) =>
    it.waiting === null ? [] : [[program, { agreed: it.waiting, waiting: null }] as const],
  );
  if (announced.length === 0) return false;
  return createOffer(pkg, new Map(announced)).tools.some((it) => `${pkg.id}/${it.tool.name}` === name);
}
