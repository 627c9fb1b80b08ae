import { isWithin } from '../../files/path-containment.js';
import { callAccessOf } from '../../model/call-access.js';
import { HostError } from '../../model/host-error.js';
import { normalizeHostName } from '../../model/host-name.js';
import type { Package } from '../../model/package.js';
import type { FilesystemAccess, NetworkAccess, NetworkHost } from '../../model/permissions.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { SlotValues } from '../../model/slot.js';
import type { Tool } from '../../model/tool.js';
import type { EgressPolicy } from '../../net/egress.js';
import type { Denial } from '../../policy/denial.js';
import type { ProgramRuntime } from '../../run/sandbox-command.js';
import { defaultSandboxLimits, type SandboxLimits } from '../../sandbox/sandbox.js';
import { narrowedReach } from '../../secrets/audience.js';
import type { LimitPolicy } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { certificateFolder } from './certificate-folder.js';
import { folderAccess } from './folder-access.js';
import type { ProfileInputs, ToolProfile } from './profile-inputs.js';
import {
  assertWorkspaceUsable,
  type MountingPackage,
  mountWorkspace,
  type WorkspaceMounts,
} from './workspace-mounts.js';

/**
 * What one call of a tool may see and use: what its package requests, the operator granted, and this machine has.
 * `tool`: null for a long-running program that serves tools without an access of their own.
 */
export async function sandboxProfileFor(
  { loaded, needs, paths }: CheckedPackage,
  tool: Tool | null,
  slots: SlotValues,
  inputs: ProfileInputs,
): Promise<ToolProfile> {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package is never run');
  const pkg = catalog.package;
  const { permissions } = pkg;
  const { network } = callAccessOf(pkg, tool);
  const access = fileAccess(pkg, tool, inputs.denial);
  const { folders, missing } = folderAccess(loaded, inputs);
  // Identifies what the profile depends on besides the package: tools with another access have another profile.
  const constantKey = tool?.access ?? needs;
  const packageFolder = await inputs.stage.folderFor(loaded);
  const isConstant =
    access === 'none' &&
    folders.length === 0 &&
    // A folder that is missing now may be there for the next call.
    missing.length === 0 &&
    slots.size === 0 &&
    !permissions.stateDirectory &&
    needs.every((it) => it.packages === null);
  const known = isConstant ? inputs.constantProfiles.get(constantKey) : undefined;
  if (known?.profile.packageFolder === packageFolder) return known;
  const owner = { id: pkg.id, paths };
  const { workspaceMounts, notes } = await mountOrReduce(access, permissions.origin, owner, {
    ...inputs,
    workspace: { ...inputs.workspace, own: folders },
  });
  const allNotes = [...notes, ...missing];
  const runtimes = new Map<string, ProgramRuntime>();
  for (const { program, interpreter, packages } of needs) {
    if (interpreter === null) continue;
    const installed = packages === null ? null : inputs.environments.find(packages);
    if (installed === undefined)
      throw new HostError('needs_setup', `the language packages of ${pkg.id} are not installed`, {
        hint: `install them: toolwharf install ${shellQuote(loaded.file)}`,
      });
    runtimes.set(program, { interpreter, packages: installed?.folder ?? null });
  }
  const egress = egressPolicy(network, slots, inputs);
  const toolProfile: ToolProfile = {
    notes: allNotes,
    isConstant,
    profile: {
      package: pkg,
      digest: catalog.digest,
      owner: inputs.owner,
      packageFolder,
      roots: workspaceMounts.mounts,
      hidden: workspaceMounts.hidden,
      unanchored: workspaceMounts.unanchored,
      guard: workspaceMounts.guard,
      dataFolder: permissions.stateDirectory ? inputs.folders.dataFolder(pkg.id) : null,
      slots,
      limits: limitsOf(inputs.limits),
      grantPrefix: inputs.isOnlyPackage || !namesHosts(network) ? '' : `${pkg.id}=`,
      network: egress,
      ...(tool?.access === undefined ? {} : { access: tool.access }),
      certificateFolder:
        egress === null || inputs.certificates === undefined
          ? undefined
          : certificateFolder(inputs.stage.root, inputs.certificates),
      runtimes,
    },
  };
  if (isConstant) inputs.constantProfiles.set(constantKey, toolProfile);
  return toolProfile;
}

/** Throws if a declared workspace cannot be mounted. Checked before a person is asked to approve the call. */
export async function assertWorkspaceMountable(
  { loaded, paths }: CheckedPackage,
  tool: Tool,
  inputs: ProfileInputs,
): Promise<void> {
  const { denial, workspace, protectedPaths, user, guard } = inputs;
  const pkg = loaded.catalog?.package;
  if (pkg === undefined || pkg.permissions.origin === 'default') return;
  const access = fileAccess(pkg, tool, denial);
  const mounted = { ...workspace, own: folderAccess(loaded, inputs).folders };
  await assertWorkspaceUsable(access, mounted, protectedPaths, { id: pkg.id, paths }, user, guard);
}

/** The declared file access of a call, reduced by what the operator denies. */
export function fileAccess(
  pkg: Package,
  tool: Tool | null,
  { noFiles, noWriting }: Denial,
): FilesystemAccess {
  if (noFiles) return 'none';
  const { filesystem } = callAccessOf(pkg, tool);
  return noWriting && filesystem === 'read-write' ? 'read-only' : filesystem;
}

/**
 * Mounts the workspace. If the manifest declares file access, the mount must succeed. If the access is only the
 * default of the format, a failed mount is reduced to read-only access or to none, with a note.
 */
async function mountOrReduce(
  access: FilesystemAccess,
  origin: 'declared' | 'default',
  owner: MountingPackage,
  inputs: Pick<ProfileInputs, 'workspace' | 'protectedPaths' | 'user' | 'guard'>,
): Promise<{ workspaceMounts: WorkspaceMounts; notes: string[] }> {
  const { workspace, protectedPaths, user, guard } = inputs;
  try {
    const workspaceMounts = await mountWorkspace(access, workspace, protectedPaths, owner, user, guard);
    return { workspaceMounts, notes: [] };
  } catch (error) {
    if (origin === 'declared' || !(error instanceof HostError)) throw error;
    // Never falls back to read-only access to the whole home folder.
    const containsHome = protectedPaths.homes.some((it) => isWithin(it, workspace.root));
    const reduced = access === 'read-write' && !containsHome ? 'read-only' : 'none';
    const result = await mountOrReduce(reduced, origin, owner, inputs);
    if (result.notes.length > 0) return result;
    const effect = reduced === 'none' ? 'the tool sees no workspace' : 'the workspace is read-only';
    return { ...result, notes: [`${effect}: ${error.message}; ${error.hint}`] };
  }
}

/** Null means no network. A process with a secret can reach only the recipients of that secret. */
function egressPolicy(
  network: NetworkAccess,
  slots: SlotValues,
  { grant, extraHosts, denial }: ProfileInputs,
): EgressPolicy | null {
  if (network.kind === 'none' || denial.noNetwork) return null;
  const denied = denial.network;
  // A manifest that names no host leaves the choice of hosts to the operator's grants.
  const added = namesHosts(network)
    ? [...extraHosts, ...grantedPorts(network, grant.network)]
    : grant.network;
  const full = network.kind === 'public' ? network : { ...network, hosts: [...network.hosts, ...added] };
  const secrets = [...slots.values()].filter((it) => it.secret);
  const narrowed = narrowedReach(full, secrets, grant.network);
  switch (narrowed.kind) {
    case 'none':
      return null;
    case 'public':
      return {
        reach: { hosts: [], granted: grant.network, denied },
        anyPublic: true,
        holdsSecret: secrets.length > 0,
      };
    case 'hosts':
      return {
        reach: { hosts: narrowed.hosts, granted: grant.network, denied },
        anyPublic: false,
        holdsSecret: secrets.length > 0,
      };
  }
}

/** Granted ports of hosts that the manifest names: the same hosts, so no grant for this package by name is needed. */
function grantedPorts(network: NetworkAccess, granted: readonly NetworkHost[]): readonly NetworkHost[] {
  const named = network.kind === 'hosts' ? network.hosts.map((it) => normalizeHostName(it.host)) : [];
  return granted.filter((it) => it.port !== null && named.includes(normalizeHostName(it.host)));
}

/** Whether the manifest names hosts. If so, more hosts need a grant for this package by name. */
function namesHosts(network: NetworkAccess): boolean {
  return network.kind === 'hosts' && network.hosts.length > 0;
}

export function limitsOf(policy: LimitPolicy): SandboxLimits {
  const { cpuSeconds, processes, openFiles, memoryBytes, diskBytes } = { ...defaultSandboxLimits, ...policy };
  return { cpuSeconds, processes, openFiles, memoryBytes, diskBytes };
}
