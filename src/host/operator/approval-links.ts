import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ApprovalRequest } from '../../model/approval.js';
import { approvalPagePath } from '../../model/approval-path.js';

/** What a link proves. `expired`: it was signed here, and its time is over. */
export type LinkVerdict = 'valid' | 'expired' | 'invalid';

/**
 * Links to the page of a held call. A link lets its reader see that one call until the call expires. It decides nothing.
 * They work only in the process that serves the page.
 */
export interface ApprovalLinkOperations {
  /** From now on, held calls get links to the page at this URL. Returns a function that ends it. */
  serveAt(base: string): () => void;
  /** Null if nobody serves the page. */
  linkTo(request: Pick<ApprovalRequest, 'id' | 'expiresAt'>): Promise<string | null>;
  check(id: string, signature: string): Promise<LinkVerdict>;
}

export interface ApprovalLinkOptions {
  /** The HMAC key that signs links. It is stored, so that links stay valid when the host starts again. */
  readonly key: () => Promise<Uint8Array>;
  readonly now: () => number;
}

/** Seconds since 1970 in base 36, a dot, and 256 bits of HMAC in base64url. */
const signatureForm = /^([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/;

export function approvalLinks({ key, now }: ApprovalLinkOptions): ApprovalLinkOperations {
  /** The page may be served at several places; the newest one is used. */
  const bases: string[] = [];
  const tagOf = async (id: string, until: string) =>
    createHmac('sha256', await key())
      .update(`toolwharf.approval-link.1:${until}:${id}`)
      .digest();
  return {
    serveAt(base) {
      const entry = base.replace(/\/+$/, '');
      bases.push(entry);
      return () => {
        const at = bases.lastIndexOf(entry);
        if (at !== -1) bases.splice(at, 1);
      };
    },
    async linkTo({ id, expiresAt }) {
      const base = bases.at(-1);
      if (base === undefined) return null;
      const until = Math.ceil(expiresAt / 1000).toString(36);
      const tag = (await tagOf(id, until)).toString('base64url');
      return `${base}${approvalPagePath}${encodeURIComponent(id)}?t=${until}.${tag}`;
    },
    async check(id, signature) {
      const [, until, tag] = signatureForm.exec(signature) ?? [];
      if (until === undefined || tag === undefined) return 'invalid';
      const expected = await tagOf(id, until);
      const actual = Buffer.from(tag, 'base64url');
      if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'invalid';
      // Compared as text too, because base64 has several forms for the same bytes.
      if (tag !== expected.toString('base64url')) return 'invalid';
      return Number.parseInt(until, 36) * 1000 > now() ? 'valid' : 'expired';
    },
  };
}
