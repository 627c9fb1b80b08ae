import { randomBytes } from 'node:crypto';
import { framePath } from '../../../model/console-path.js';
import type { StaticPage } from '../../../model/static-page.js';
import type { HttpReply } from '../http-reply.js';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

interface OpenFrame {
  readonly page: StaticPage;
  readonly expiresAt: number;
}

const lifetimeMs = 12 * 60 * 60_000;
/** Each keeps the files of its page in memory. */
const maxFrames = 8;

/**
 * Pages of packages, for frames of the console. A frame has an origin of its own, so it has no cookie: what it may load is
 * named by a secret in its address. It can load only its own files, and it reaches neither the console nor a network.
 */
export class PackageFrames {
  readonly #now: () => number;
  readonly #open = new Map<string, OpenFrame>();

  constructor(now: () => number) {
    this.#now = now;
  }

  static owns(path: string): boolean {
    return path.startsWith(framePath);
  }

  /** The path under which a frame finds the page. */
  open(page: StaticPage): string {
    for (const [it, { expiresAt }] of this.#open)
      if (expiresAt <= this.#now() || this.#open.size >= maxFrames) this.#open.delete(it);
    const secret = randomBytes(32).toString('base64url');
    this.#open.set(secret, { page, expiresAt: this.#now() + lifetimeMs });
    return `${framePath}${secret}/${page.start.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Undefined if there is no such file. `origin`: of this server, as the browser sees it. */
  file(path: string, origin: string): HttpReply | undefined {
    const [, secret = '', rest = ''] = /^([\w-]{43})\/(.*)$/.exec(path.slice(framePath.length)) ?? [];
    const frame = this.#open.get(secret);
    const name = decoded(rest);
    const body = name === undefined ? undefined : frame?.page.files.get(name);
    if (frame === undefined || body === undefined || frame.expiresAt <= this.#now()) return undefined;
    const type = types[/\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';
    return { type, body, headers: frameHeaders(`${origin}${framePath}${secret}/`, origin) };
  }
}

/** `own`: the address of its files. */
function frameHeaders(own: string, origin: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'unsafe-inline' ${own}`,
      `style-src 'unsafe-inline' ${own}`,
      `img-src ${own} data: blob:`,
      `media-src ${own} data: blob:`,
      `font-src ${own} data:`,
      `connect-src ${own}`,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${origin}`,
      'sandbox allow-scripts',
    ].join('; '),
    // Its origin is nobody's, so its own files are those of another site for it.
    'access-control-allow-origin': '*',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-dns-prefetch-control': 'off',
    'x-robots-tag': 'noindex, nofollow',
  };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
