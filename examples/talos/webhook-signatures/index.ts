import { createHmac, timingSafeEqual } from 'node:crypto';

type Scheme = 'github' | 'stripe' | 'slack';

interface Credentials {
  readonly signing_secret: string;
  readonly tolerance_seconds?: number | string;
}

interface Delivery {
  readonly scheme: Scheme;
  readonly body: string;
  readonly signature: string;
  readonly timestamp?: string;
  readonly now?: number;
}

interface Draft {
  readonly scheme: Scheme;
  readonly body: string;
  readonly timestamp?: number;
}

interface Verdict {
  readonly valid: boolean;
  readonly reason: string;
}

export const handlers = {
  verify(args: Delivery, credentials: Credentials): Verdict {
    const claim = readClaim(args);
    if ('reason' in claim) return { valid: false, reason: claim.reason };
    const expected = mac(credentials.signing_secret, signedText(args.scheme, claim.time, args.body));
    if (!claim.signatures.some((it) => sameHex(it, expected))) {
      return { valid: false, reason: 'the signature is not that of this body and secret' };
    }
    const tolerance = Number(credentials.tolerance_seconds ?? 300);
    const age = claim.time === null ? 0 : Math.abs((args.now ?? seconds()) - claim.time);
    if (age > tolerance) {
      return {
        valid: false,
        reason: `the signature is right, but ${age} seconds old; at most ${tolerance} are allowed`,
      };
    }
    return { valid: true, reason: 'the signature is right' };
  },

  sign(args: Draft, credentials: Credentials): { headers: Record<string, string> } {
    const time = args.scheme === 'github' ? null : (args.timestamp ?? seconds());
    const hex = mac(credentials.signing_secret, signedText(args.scheme, time, args.body));
    switch (args.scheme) {
      case 'github':
        return { headers: { 'X-Hub-Signature-256': `sha256=${hex}` } };
      case 'stripe':
        return { headers: { 'Stripe-Signature': `t=${time},v1=${hex}` } };
      case 'slack':
        return { headers: { 'X-Slack-Request-Timestamp': String(time), 'X-Slack-Signature': `v0=${hex}` } };
    }
  },
};

type Claim =
  | { readonly time: number | null; readonly signatures: readonly string[] }
  | { readonly reason: string };

function readClaim({ scheme, signature, timestamp }: Delivery): Claim {
  switch (scheme) {
    case 'github':
      if (!signature.startsWith('sha256=')) return { reason: 'the header does not begin with "sha256="' };
      return { time: null, signatures: [signature.slice('sha256='.length)] };
    case 'stripe': {
      const parts = signature.split(',').map((it) => it.trim().split('=', 2));
      const time = Number(parts.find(([key]) => key === 't')?.[1]);
      const signatures = parts.flatMap(([key, value]) =>
        key === 'v1' && value !== undefined ? [value] : [],
      );
      if (!Number.isInteger(time)) return { reason: 'the header has no time "t="' };
      return signatures.length === 0 ? { reason: 'the header has no "v1=" signature' } : { time, signatures };
    }
    case 'slack': {
      const time = Number(timestamp);
      if (timestamp === undefined || !Number.isInteger(time))
        return { reason: 'the timestamp header is missing' };
      if (!signature.startsWith('v0=')) return { reason: 'the header does not begin with "v0="' };
      return { time, signatures: [signature.slice('v0='.length)] };
    }
  }
}

function signedText(scheme: Scheme, time: number | null, body: string): string {
  switch (scheme) {
    case 'github':
      return body;
    case 'stripe':
      return `${time}.${body}`;
    case 'slack':
      return `v0:${time}:${body}`;
  }
}

function mac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
}

/** Compared in constant time, as a signature must be. */
function sameHex(given: string, expected: string): boolean {
  const a = Buffer.from(given, 'utf8');
  const b = Buffer.from(expected, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
