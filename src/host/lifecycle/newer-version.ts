import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { InstallLock } from '../../model/installation.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { lockedText } from '../../model/locked-text.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import { resolveTagged } from '../../sources/acquire.js';
import type { StoredGeneration } from '../../store/installations.js';
import { prepareCandidate } from './candidate.js';
import type { OutdatedPackage } from './installations.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { isSameSource, movedTags, sourceMoved } from './moved-tags.js';
import { sourceOf } from './requested-source.js';

/** What the source of a package has now; undefined if it is what is installed. */
export async function newerVersion(
  current: StoredGeneration,
  session: LifecycleSession,
  services: LifecycleServices,
  signal: CancelSignal,
): Promise<OutdatedPackage | undefined> {
  const { package: id, version, source: text, locked } = current;
  const prepared = { text, id, allow: [], granted: current.grants, signal };
  try {
    const source = sourceOf(text, session.setup.root, undefined);
    const isHere = ['folder', 'file', 'archive', 'server'].includes(source.kind);
    if (!isHere) {
      const acquire = { services: session.sources, signal: toAbortSignal(signal) };
      const now = await resolveTagged(source, acquire);
      const moved = sourceMoved(locked, now);
      if (!isSameSource(now.locked, locked))
        return {
          package: id,
          version,
          available: lockedText(now.locked),
          ...(moved.length > 0 ? { moved } : {}),
        };
      // The same files again: only what their manifest names may have changed.
      if (Object.keys(current.lock).length === 0) return undefined;
    }
    // Code from elsewhere is part of the stored tree, so that tree does not say any more where it comes from.
    const stored = current.lock.code === undefined ? { storedTree: current.tree } : {};
    const given = isHere ? { source } : { source: locked, ...stored };
    const candidate = await prepareCandidate({ ...prepared, ...given }, session, services);
    const json = (it: InstallLock) => canonicalJson(it as unknown as Json);
    const isSameLock = json(candidate.lock) === json(current.lock);
    if (candidate.catalog.digest === current.digest && isSameLock) return undefined;
    const now = candidate.catalog.package.version;
    const moved = movedTags(current, candidate);
    const files = isSameLock ? 'with other files' : 'with other dependencies';
    const available = now === version ? `${now}, ${files}` : now;
    return { package: id, version, available, ...(moved.length > 0 ? { moved } : {}) };
  } catch (error) {
    if (!(error instanceof HostError) || signal.aborted) throw error;
    return { package: id, version, problem: error.message };
  }
}
