import { lockedText } from '../../model/locked-text.js';
import type { StoredGeneration } from '../../store/installations.js';
import type { GenerationEntry } from './installations.js';

/** A generation as it is listed. */
export function generationEntryOf(it: StoredGeneration, isCurrent: boolean): GenerationEntry {
  const { number, version, source, locked, digest, grants, smoke, trial, createdAt, createdBy } = it;
  return {
    ...{ generation: number, version, source, resolved: lockedText(locked), digest, isCurrent },
    ...{ grants, smoke, createdAt, createdBy },
    ...(trial === null ? {} : { trial }),
  };
}
