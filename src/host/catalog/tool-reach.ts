import type { Package } from '../../model/package.js';
import type { CallAccess } from '../../model/permissions.js';
import { runsHere } from '../../model/program.js';
import type { Tool } from '../../model/tool.js';
import { denialFor } from '../../policy/denial.js';
import type { ToolReach } from '../../policy/rules/tool-rules.js';
import type { SessionSetup } from '../session-setup.js';

export const nothingReached: ToolReach = { writesWorkspace: false, usesNetwork: false };

/** What a process with this access can reach in this session. */
export function toolReach(
  { id, permissions: { folders = [] } }: Package,
  { filesystem, network }: CallAccess,
  { policy }: SessionSetup,
): ToolReach {
  const { noFiles, noWriting, noNetwork } = denialFor(policy.deny ?? [], id);
  const writes = filesystem === 'read-write' || folders.some((it) => it.writable);
  return {
    writesWorkspace: writes && !noFiles && !noWriting,
    usesNetwork: network.kind !== 'none' && !noNetwork,
  };
}

/** Whether a call of the tool uses a process of the package, which may see the workspace. */
export function startsProcess(pkg: Package, { action }: Tool): boolean {
  switch (action?.kind) {
    case 'exec':
    case 'function':
      return true;
    case 'upstream':
      return pkg.programs.some((it) => it.name === action.program && runsHere(it));
    default:
      return false;
  }
}
