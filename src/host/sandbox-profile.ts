import type { EnvironmentStore } from '../environment/store.js';
import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import type { FilesystemAccess, NetworkHost } from '../model/permissions.js';
import { shellWord } from '../model/shell-word.js';
import type { SlotValues } from '../model/slot.js';
import type { Tool } from '../model/tool.js';
import type { EgressPolicy } from '../net/egress.js';
import type { Denial } from '../policy/denial.js';
import type { Grant } from '../policy/grant.js';
import type { ProgramRuntime, SandboxProfile } from '../run/launch.js';
import type { User } from '../sandbox/access.js';
import { defaultLimits, type Limits } from '../sandbox/sandbox.js';
import { narrowedReach } from '../secrets/audience.js';
import type { LimitPolicy } from './host.js';
import type { PackageFolders } from './package-folders.js';
import type { Judged } from './readiness.js';
import type { Stage } from './stage.js';
import {
  type HiddenPaths,
  mountWorkspace,
  type Workspace,
  type WorkspaceMounts,
} from './workspace-mounts.js';

/** What a session's confinements are made from. */
export interface ProfileInputs {
  readonly principal: string;
  readonly grant: Grant;
  /** What the operator ruled out for this package. */
  readonly denial: Denial;
  /** Hosts that this package may reach beyond what its manifest names. */
  readonly widening: readonly NetworkHost[];
  /** There is no other package in the session. */
  readonly sole: boolean;
  readonly workspace: Workspace;
  readonly secret: HiddenPaths;
  readonly limits: LimitPolicy;
  readonly stage: Stage;
  readonly places: PackageFolders;
  readonly environments: EnvironmentStore;
  readonly user: User;
}

export interface ToolProfile {
  readonly confinement: SandboxProfile;
  /** What the tool was not given although it may have it, for whoever called. */
  readonly notes: readonly string[];
}

/**
 * Exactly what one call of one tool may see and use: what was asked for, agreed to and is here. Null is a program that
 * serves all tools of its package.
 */
export async function sandboxProfileFor(
  { loaded, needs, own }: Judged,
  tool: Tool | null,
  slots: SlotValues,
  lending: ProfileInputs,
): Promise<ToolProfile> {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package is never run');
  const of = catalog.package;
  const { permissions } = of;
  const access = fileAccess(of, tool, lending.denial);
  const files = await lending.stage.place(loaded);
  const isPlain =
    access === 'none' &&
    slots.size === 0 &&
    !permissions.stateDirectory &&
    needs.every((it) => it.packages === null);
  const known = isPlain ? plain.get(lending)?.get(needs) : undefined;
  if (known?.confinement.files === files) return known;
  const { lent, notes } = lendKindly(access, permissions.origin, own, lending);
  const runtimes = new Map<string, ProgramRuntime>();
  for (const { program, interpreter, packages } of needs) {
    if (interpreter === null) continue;
    const installed = packages === null ? null : lending.environments.find(packages);
    if (installed === undefined)
      throw new HostError('needs_setup', `the language packages of ${of.id} are not installed`, {
        hint: `install them: toolwharf install ${shellWord(loaded.file)}`,
      });
    runtimes.set(program, { interpreter, packages: installed?.folder ?? null });
  }
  const made: ToolProfile = {
    notes,
    confinement: {
      package: of,
      digest: catalog.digest,
      principal: lending.principal,
      files,
      roots: lent.mounts,
      hidden: lent.hidden,
      state: permissions.stateDirectory ? lending.places.data(of.id) : null,
      slots,
      limits: limitsOf(lending.limits),
      grantee: lending.sole || !namesHosts(of) ? '' : `${of.id}=`,
      network: egressPolicy(of, slots, lending),
      runtimes,
    },
  };
  if (isPlain) plain.set(lending, (plain.get(lending) ?? new Map()).set(needs, made));
  return made;
}

/**
 * What depends on nothing that can change between two calls: no workspace, no folder of its own, no values, no packages to be installed. A lending
 * belongs to one package in one session, and the needs are those of that package as it was judged.
 */
const plain = new WeakMap<ProfileInputs, Map<Judged['needs'], ToolProfile>>();

/** Throws when a workspace that was declared cannot be lent: better before a person is asked than after. */
export function assertWorkspace({ loaded, own }: Judged, tool: Tool, lending: ProfileInputs): void {
  const of = loaded.catalog?.package;
  if (of === undefined || of.permissions.origin === 'default') return;
  lendKindly(fileAccess(of, tool, lending.denial), 'declared', own, lending);
}

/** What was declared, less what the operator ruled out. */
export function fileAccess(of: Package, tool: Tool | null, { noFiles, noWriting }: Denial): FilesystemAccess {
  if (noFiles || !usesFiles(of, tool)) return 'none';
  const { filesystem } = of.permissions;
  return noWriting && filesystem === 'read-write' ? 'read-only' : filesystem;
}

/** A tool that names the scopes it uses gets the files only when one of them is about files. */
function usesFiles(of: Package, tool: Tool | null): boolean {
  return (
    tool === null ||
    tool.scopes === undefined ||
    tool.scopes.some((it) => it === 'fs' || it.startsWith('fs.')) ||
    of.permissions.origin === 'default'
  );
}

/** Where the workspace was declared, it must be there; where it is only customary, a tool makes do with less. */
function lendKindly(
  access: FilesystemAccess,
  origin: 'declared' | 'default',
  own: readonly string[],
  lending: Pick<ProfileInputs, 'workspace' | 'secret' | 'user'>,
): { lent: WorkspaceMounts; notes: string[] } {
  const { workspace, secret, user } = lending;
  try {
    return { lent: mountWorkspace(access, workspace, secret, own, user), notes: [] };
  } catch (error) {
    if (origin === 'declared' || !(error instanceof HostError)) throw error;
    // A customary workspace is made smaller, and never into the whole home.
    const atHome = lending.secret.homes.some((it) => `${it}/`.startsWith(`${workspace.root}/`));
    const lesser = access === 'read-write' && !atHome ? 'read-only' : 'none';
    const rest = lendKindly(lesser, origin, own, lending);
    if (rest.notes.length > 0) return rest;
    const how = lesser === 'none' ? 'the tool sees no workspace' : 'the workspace is for reading only';
    return { lent: rest.lent, notes: [`${how}: ${error.message}; ${error.hint}`] };
  }
}

/** Null when there is no way out. A process that holds a secret reaches only those who may have it. */
function egressPolicy(
  of: Package,
  slots: SlotValues,
  { grant, widening, denial }: ProfileInputs,
): EgressPolicy | null {
  const { network } = of.permissions;
  if (network.kind === 'none' || denial.noNetwork) return null;
  const denied = denial.network;
  // A service that names no host at all leaves it to the operator to say where it is.
  const added = namesHosts(of) ? widening : grant.network;
  const wide = network.kind === 'public' ? network : { ...network, hosts: [...network.hosts, ...added] };
  const held = [...slots.values()].filter((it) => it.secret);
  const narrowed = narrowedReach(wide, held);
  switch (narrowed.kind) {
    case 'none':
      return null;
    case 'public':
      return {
        reach: { hosts: [], granted: grant.network, denied },
        anyPublic: true,
        secret: held.length > 0,
      };
    case 'hosts':
      return {
        reach: { hosts: narrowed.hosts, granted: grant.network, denied },
        anyPublic: false,
        secret: held.length > 0,
      };
  }
}

/** Whether a manifest says where the package goes, so that more than that takes a word of its own. */
function namesHosts({ permissions: { network } }: Package): boolean {
  return network.kind === 'hosts' && network.hosts.length > 0;
}

export function limitsOf(policy: LimitPolicy): Limits {
  const { cpuSeconds, processes, openFiles, memoryBytes, diskBytes } = { ...defaultLimits, ...policy };
  return { cpuSeconds, processes, openFiles, memoryBytes, diskBytes };
}
