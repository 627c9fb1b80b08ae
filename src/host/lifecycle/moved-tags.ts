import { canonicalJson, type Json } from '../../model/json.js';
import { lockedText } from '../../model/locked-text.js';
import { type LockedSource, sourceText } from '../../model/source.js';
import type { AcquiredSource } from '../../sources/source.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { InstallCandidate } from './candidate.js';

/** Tags that mean something else than for the generation that is served. One sentence each. */
export function movedTags(
  { locked, lock }: Pick<StoredGeneration, 'locked' | 'lock'>,
  { acquired, code, lock: next, declared }: InstallCandidate,
): string[] {
  const { install } = declared;
  const image =
    install.kind === 'container' && next.image !== undefined && lock.image !== undefined
      ? imageMoved(install.image, lock.image, next.image)
      : [];
  return [...sourceMoved(locked, acquired), ...sourceMoved(lock.code, code), ...image];
}

/** Says that the tag of a source was moved. Empty: it was not, or the source names no tag. */
export function sourceMoved(
  before: LockedSource | undefined,
  now: Pick<AcquiredSource, 'locked' | 'isTag'> | undefined,
): string[] {
  if (before === undefined || now?.isTag !== true) return [];
  const text = sourceText(now.locked);
  if (sourceText(before) !== text || isSameSource(before, now.locked)) return [];
  return [`the tag of ${text} was moved: it was ${lockedText(before)}, now it is ${lockedText(now.locked)}`];
}

function imageMoved(declared: string, before: string, now: string): string[] {
  const [[name, old], [sameName, digest]] = [before.split('@'), now.split('@')];
  if (name !== sameName || old === digest) return [];
  return [`the tag of the image ${declared} was moved: it was ${old}, now it is ${digest}`];
}

export function isSameSource(one: LockedSource, other: LockedSource): boolean {
  return canonicalJson(one as unknown as Json) === canonicalJson(other as unknown as Json);
}
