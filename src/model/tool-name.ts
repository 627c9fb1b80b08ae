/**
 * Splits `package/tool` at the first slash; without a slash there is no tool. Package ids have no slash, but tool names
 * of MCP servers may have one.
 */
export function splitToolName(name: string): readonly [packageId: string, tool?: string] {
  const at = name.indexOf('/');
  return at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

/** Names of the meta-tools, through which clients can find and call any number of tools. */
export const findToolName = 'find_tools';
export const describeToolName = 'describe_tool';
export const callToolName = 'call_tool';
/** Name of the tool with which an agent asks the operator for a package. */
export const requestInstallName = 'request_install';
/** Name of the tool that runs a held call after a person approved it. The Patch specification defines this name. */
export const confirmToolName = 'patch_confirm_action';

/** Tool names that the host uses itself. No tool of a package is listed under one of them. */
export const reservedToolNames: ReadonlySet<string> = new Set([
  findToolName,
  describeToolName,
  callToolName,
  confirmToolName,
  requestInstallName,
]);
