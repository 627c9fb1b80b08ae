// The last check before a change is published: readers of the present state must accept the next one. A registry that its own
// clients reject cannot be repaired by publishing, so a mistake is found here or never.
import { HostError } from '../../model/host-error.js';
import { quarantineOf, summariesOf } from '../client/registry-targets.js';
import { RegistryView } from '../client/registry-view.js';
import { binRole } from '../names/package-name.js';
import { overlayTransport } from '../transport/overlay-transport.js';
import type { NewFile } from './pending-files.js';

/** Throws unless a client that knows `before` accepts the registry with the new files. `roles`: those that changed. */
export async function assertNextState(
  before: RegistryView,
  files: ReadonlyMap<string, NewFile>,
  { roles, now }: { readonly roles: readonly string[]; readonly now: number },
): Promise<void> {
  const { root, timestamp, snapshot, head, roles: known } = before.trusted;
  try {
    const view = await RegistryView.open({
      transport: overlayTransport(files, before.transport),
      trusted: { root, timestamp, snapshot, head, role: (name) => known.get(name)?.bytes },
      now,
      acceptExpired: true,
    });
    for (const role of roles) {
      const namespace = await namespaceOf(view, role);
      if (namespace !== undefined) await view.namespace(namespace);
      else if (role !== 'targets') await view.delegated(role);
    }
    if (roles.includes('index')) await readChangedIndex(before, view);
    if (roles.includes('quarantine')) await quarantineOf(view);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new HostError(
      'integrity',
      `nothing was published, because readers would reject it: ${error.message}`,
      {
        cause: error,
        hint: 'check which keys are here; the registry is as it was',
      },
    );
  }
}

/** Clients read each part of the index whole, up to a limit. */
async function readChangedIndex(before: RegistryView, now: RegistryView): Promise<void> {
  const old = (await before.delegated('index'))?.document.targets ?? {};
  const index = (await now.delegated('index'))?.document.targets ?? {};
  for (const [path, entry] of Object.entries(index))
    if (old[path]?.sha256 !== entry.sha256) await summariesOf(now, path, entry);
}

/** Undefined: not the role of a namespace. */
async function namespaceOf(view: RegistryView, role: string): Promise<string | undefined> {
  const bin = /^ns-([0-9a-f]{2})-\d+$/.exec(role)?.[1];
  if (bin === undefined) return undefined;
  const delegations = (await view.delegated(binRole(bin)))?.document.delegations ?? [];
  return delegations.find((it) => it.name === role)?.paths[0]?.split('/')[1];
}
