import {
  type AnchorPlace,
  type AnchorToCheck,
  type AuditAnchor,
  anchorToCheck,
  parseAnchor,
} from './audit-anchor.js';
import type { RollbackFinding } from './audit-rollback.js';

/** What one place says. */
export type AnchorReading =
  | { readonly type: 'none' }
  | { readonly type: 'anchor'; readonly anchor: AuditAnchor; readonly check: AnchorToCheck }
  /** The anchor is missing, or it is damaged. */
  | { readonly type: 'finding'; readonly finding: RollbackFinding }
  /** It cannot be read now. */
  | { readonly type: 'warning'; readonly warning: string };

/** A keychain may wait for a person to unlock it. */
const timeoutMs = 5000;

/** Reads the anchor of a place. `isKnown`: the log says that it has an anchor there. */
export async function readAnchor(place: AnchorPlace, isKnown: boolean): Promise<AnchorReading> {
  if (place.read === null) return { type: 'none' };
  const found = (what: string): AnchorReading => ({
    type: 'finding',
    finding: {
      kind: 'anchor',
      place: place.name,
      message: `the anchor of the audit log in ${place.name} ${what}`,
    },
  });
  let text: string | undefined;
  try {
    text = await withTimeout(place.read());
  } catch (error) {
    if (place.isOptional && !isKnown) return { type: 'none' };
    const why = error instanceof Error ? error.message : String(error);
    return {
      type: 'warning',
      warning: `the anchor of the audit log in ${place.name} cannot be read: ${why}`,
    };
  }
  if (text === undefined) return isKnown ? found('is missing: it was removed') : { type: 'none' };
  const anchor = parseAnchor(text);
  const check = anchor && anchorToCheck(place.name, anchor);
  return anchor === undefined || check === undefined
    ? found('was changed')
    : { type: 'anchor', anchor, check };
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
