import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { lockedText } from '../../model/locked-text.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import { resolveSource } from '../../sources/acquire.js';
import type { StoredGeneration } from '../../store/installations.js';
import { prepareCandidate } from './candidate.js';
import type { OutdatedPackage } from './installations.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { sourceOf } from './requested-source.js';

/** What the source of a package has now; undefined if it is what is installed. */
export async function newerVersion(
  current: StoredGeneration,
  session: LifecycleSession,
  services: LifecycleServices,
  signal: CancelSignal,
): Promise<OutdatedPackage | undefined> {
  const { package: id, version, source: text, locked } = current;
  try {
    const source = sourceOf(text, session.setup.root, undefined);
    if (['folder', 'file', 'archive', 'server'].includes(source.kind)) {
      const candidate = await prepareCandidate(
        { text, source, id, allow: [], granted: current.grants, signal },
        session,
        services,
      );
      const now = candidate.catalog.package.version;
      if (candidate.catalog.digest === current.digest) return undefined;
      return { package: id, version, available: now === version ? `${now}, with other files` : now };
    }
    const acquire = { services: session.sources, signal: toAbortSignal(signal) };
    const now = await resolveSource(source, acquire);
    if (canonicalJson(now as unknown as Json) === canonicalJson(locked as unknown as Json)) return undefined;
    return { package: id, version, available: lockedText(now) };
  } catch (error) {
    if (!(error instanceof HostError) || signal.aborted) throw error;
    return { package: id, version, problem: error.message };
  }
}
