// Signed files expire. The holders of the keys sign them again in time; here is which ones, and when.
import type { RegistryView } from '../client/registry-view.js';
import type { RegistryRepository } from './registry-repository.js';
import type { OnlineSigners } from './repository-signers.js';
import { signersFor } from './repository-signers.js';
import { type RotationSigners, rotateRoles } from './role-rotation.js';

/** A file that expires soon: less than half of its time is left. */
export interface DueFile {
  readonly kind: 'root' | 'targets' | 'namespace';
  /** The namespace, or the kind. */
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly expires: string;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Files that nobody signs again by publishing, the first one to expire first. Index, snapshot and timestamp are not among them. */
export async function dueFiles(view: RegistryView, now: number): Promise<readonly DueFile[]> {
  const { days } = view.root.document;
  const found: DueFile[] = [];
  const look = (kind: DueFile['kind'], name: string, expires: string, lifetime: number) => {
    if (Date.parse(expires) - now < (lifetime * dayMs) / 2) found.push({ kind, name, expires });
  };
  look('root', 'root', view.root.document.expires, days.root);
  const ends = [view.targets.document.expires];
  for (const { name } of view.targets.document.delegations) {
    const bin = name.startsWith('bin-') ? (await view.delegated(name))?.document : undefined;
    if (bin === undefined) continue;
    ends.push(bin.expires);
    for (const { paths } of bin.delegations) {
      const namespace = await view.namespace(paths[0]?.split('/')[1] ?? '');
      if (namespace?.file !== undefined)
        look('namespace', namespace.namespace, namespace.file.document.expires, days.namespaces);
    }
  }
  look('targets', 'targets', ends.sort()[0] as string, days.targets);
  return found.sort((a, b) => (a.expires < b.expires ? -1 : 1));
}

/** Signs everything again that is due and whose keys are here; the online files always. What else is due is returned. */
export async function renewRepository(
  repository: RegistryRepository,
  signers: RotationSigners & { readonly online: OnlineSigners; readonly now: number },
): Promise<{ readonly renewed: readonly ('root' | 'targets')[]; readonly due: readonly DueFile[] }> {
  const view = await repository.view();
  const { roles } = view.root.document;
  const able = {
    root: signersFor(roles.root, signers.rootSigners).length >= roles.root.threshold,
    targets: signersFor(roles.targets, signers.targetsSigners).length >= roles.targets.threshold,
  };
  const due = await dueFiles(view, signers.now);
  const renewed = (['root', 'targets'] as const).filter(
    (kind) => able[kind] && due.some((it) => it.kind === kind),
  );
  await rotateRoles(repository, { ...signers, next: {}, renewed });
  return { renewed, due: due.filter((it) => !renewed.some((kind) => kind === it.kind)) };
}
