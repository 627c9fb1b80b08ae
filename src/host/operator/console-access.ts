import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import type { SessionOptions } from '../session-options.js';

/** A link that signs one browser in to the console, once. */
export interface ConsoleLink {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Where the console of a session is served: the origin, without a trailing slash. */
export type ServeConsole = (session: SessionOptions) => Promise<string>;

/** A browser that a link signed in. */
export interface ConsoleVisit {
  readonly id: string;
  /** What a request must send to change something. A page of another site cannot read it. */
  readonly csrf: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly expiresAt: number;
}

/**
 * Links to the console, and the browsers that they signed in. A link lets its reader look; what needs the operator asks for
 * the PIN. Only in the process of the host.
 */
export interface ConsoleAccess {
  /** From now on, links lead to the console that `serve` serves. Returns a function that ends it. */
  serveWith(serve: ServeConsole): () => void;
  /** Throws `unavailable` if nobody serves the console. */
  linkFor(session: SessionOptions): Promise<ConsoleLink>;
  /** Uses up the code of a link. Returns the value of the cookie, or null if the code is unknown, used or too old. */
  redeem(code: string): Promise<string | null>;
  /** Null if the cookie is not ours, has expired or was signed out. */
  check(cookie: string): Promise<ConsoleVisit | null>;
  /** The cookie with a later time of last use; null if that is not needed yet. */
  renew(cookie: string): Promise<string | null>;
  signOut(cookie: string): Promise<void>;
}

export interface ConsoleAccessOptions {
  /** The HMAC key that signs cookies. It is stored, so that browsers stay signed in when the host starts again. */
  readonly key: () => Promise<Uint8Array>;
  readonly now: () => number;
}

const linkMs = 60 * 60_000;
const maxLinks = 100;
/** Without a request of its page, a browser is signed out after this time. */
const idleMs = 60 * 60_000;
/** A browser is signed out after this time in any case. */
const longestMs = 12 * 60 * 60_000;
/** A cookie is written again when its time of last use is older. */
const renewMs = 5 * 60_000;

/** Times in base 36, 128 random bits, and 256 bits of HMAC in base64url. */
const cookieForm = /^(([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([A-Za-z0-9_-]{22}))\.([A-Za-z0-9_-]{43})$/;

export function consoleAccess({ key, now }: ConsoleAccessOptions): ConsoleAccess {
  /** Several servers may run; the newest one is used. */
  const servers: ServeConsole[] = [];
  /** By the digest of the code: when the link expires. */
  const links = new Map<string, number>();
  /** Visits that were signed out, until they would have expired. */
  const ended = new Map<string, number>();

  const tagOf = async (purpose: string, text: string) =>
    createHmac('sha256', await key())
      .update(`toolwharf-console-1:${purpose}:${text}`)
      .digest();
  const sealed = async (since: number, used: number, id: string) => {
    const body = `${since.toString(36)}.${used.toString(36)}.${id}`;
    return `${body}.${(await tagOf('cookie', body)).toString('base64url')}`;
  };
  const read = async (cookie: string) => {
    const [, body, since = '', used = '', id, tag] = cookieForm.exec(cookie) ?? [];
    if (body === undefined || id === undefined || tag === undefined) return null;
    const expected = await tagOf('cookie', body);
    const actual = Buffer.from(tag, 'base64url');
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
    const times = { since: Number.parseInt(since, 36), used: Number.parseInt(used, 36) };
    const expiresAt = Math.min(times.since + longestMs, times.used + idleMs);
    if (expiresAt <= now() || ended.has(id)) return null;
    return { id, ...times, expiresAt };
  };
  const dropOld = (map: Map<string, number>) => {
    for (const [it, until] of map) if (until <= now()) map.delete(it);
  };

  return {
    serveWith(serve) {
      servers.push(serve);
      return () => {
        const at = servers.lastIndexOf(serve);
        if (at !== -1) servers.splice(at, 1);
      };
    },
    async linkFor(session) {
      const serve = servers.at(-1);
      if (serve === undefined)
        throw new HostError('unavailable', 'this host does not serve the console', {
          hint: 'start it with "toolwharf serve", or run "toolwharf open"',
        });
      const origin = await serve(session);
      dropOld(links);
      for (const it of links.keys()) {
        if (links.size < maxLinks) break;
        links.delete(it);
      }
      const code = randomBytes(32).toString('base64url');
      const expiresAt = now() + linkMs;
      links.set(sha256(code), expiresAt);
      // Behind the hash sign: servers and proxies never see the code, and opening the page uses nothing up.
      return { url: `${origin}/console/#code=${code}`, expiresAt };
    },
    async redeem(code) {
      const digest = sha256(code);
      const until = links.get(digest);
      links.delete(digest);
      if (until === undefined || until <= now()) return null;
      return sealed(now(), now(), randomBytes(16).toString('base64url'));
    },
    async check(cookie) {
      const found = await read(cookie);
      if (found === null) return null;
      const { id, since, expiresAt } = found;
      return { id, since, expiresAt, csrf: (await tagOf('csrf', id)).toString('base64url') };
    },
    async renew(cookie) {
      const found = await read(cookie);
      if (found === null || found.used + renewMs > now()) return null;
      return sealed(found.since, now(), found.id);
    },
    async signOut(cookie) {
      const found = await read(cookie);
      dropOld(ended);
      if (found !== null) ended.set(found.id, found.since + longestMs);
    },
  };
}
