/**
 * The package and the tool in `package/tool`; without a slash there is no tool. No package has a slash in its id, but
 * servers put them into the names of their tools.
 */
export function splitToolName(name: string): readonly [packageId: string, tool?: string] {
  const at = name.indexOf('/');
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

/** The meta-tools: a fixed list through which any number of tools can be used. */
export const findToolName = 'find_tools';
export const describeToolName = 'describe_tool';
export const callToolName = 'call_tool';
/** The tool by which an agent asks to run a held call after a person approved it. The Patch document names it. */
export const confirmToolName = 'patch_confirm_action';

/** Names that the host itself serves. No tool of a package is exposed under one of them. */
export const reservedToolNames: ReadonlySet<string> = new Set([
  findToolName,
  describeToolName,
  callToolName,
  confirmToolName,
]);
