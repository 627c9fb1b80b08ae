import { HostError } from '../model/host-error.js';
import type { LockedSource, Source } from '../model/source.js';
import type { AcquiredSource, AcquireOptions } from './source.js';

/** Resolves, downloads, verifies and unpacks a source into the content store. A locked source must match exactly. */
export async function acquireSource(
  source: Source | LockedSource,
  _options: AcquireOptions,
): Promise<AcquiredSource> {
  throw new HostError('not_supported', `sources of kind ${source.kind} cannot be acquired yet`);
}

/** What the source means now, without downloading its content where the place can say it. */
export async function resolveSource(source: Source, _options: AcquireOptions): Promise<LockedSource> {
  throw new HostError('not_supported', `sources of kind ${source.kind} cannot be resolved yet`);
}
