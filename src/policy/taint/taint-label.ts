/** Whether text of others can be in a value. */
export type Integrity = 'trusted' | 'untrusted';
/** Who may see a value. Ordered. */
export type Secrecy = 'public' | 'private' | 'secret';

/** Where a value may come from, and who may see it. */
export interface TaintLabel {
  readonly integrity: Integrity;
  readonly secrecy: Secrecy;
}

/** The label of a session that has seen nothing. */
export const cleanLabel: TaintLabel = { integrity: 'trusted', secrecy: 'public' };

/** The label of everything that is not known. */
export const lowestLabel: TaintLabel = { integrity: 'untrusted', secrecy: 'secret' };

const secrecies: readonly Secrecy[] = ['public', 'private', 'secret'];

/** The label of two values together: untrusted if one of them is, and as secret as the more secret one. */
export function joinLabels(a: TaintLabel, b: TaintLabel): TaintLabel {
  return {
    integrity: a.integrity === 'untrusted' ? 'untrusted' : b.integrity,
    secrecy: secrecies[Math.max(secrecies.indexOf(a.secrecy), secrecies.indexOf(b.secrecy))] as Secrecy,
  };
}

/** The result that a value came with. */
export interface TaintOrigin {
  readonly package: string;
  readonly tool: string;
  readonly callId: string;
  /** Number of the call in its session, from 1. */
  readonly call: number;
}

/** A place in a result. */
export interface Provenance extends TaintOrigin {
  /** JSON Pointer of the text in the result. */
  readonly pointer: string;
  /** Offset in that text, in UTF-16 units. */
  readonly offset: number;
}
