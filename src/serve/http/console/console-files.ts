import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpReply } from '../http-reply.js';
import { consoleHeaders } from './console-headers.js';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The files of the console, as the build made them. They contain nothing of this host, so they need no sign-in. */
export class ConsoleFiles {
  readonly #page: string;
  readonly #assets: ReadonlyMap<string, { readonly type: string; readonly text: string }>;

  private constructor(page: string, assets: ReadonlyMap<string, { type: string; text: string }>) {
    this.#page = page;
    this.#assets = assets;
  }

  /** Reads all files once: there are few, and they do not change while the host runs. */
  static read(folder: string): ConsoleFiles {
    const assets = new Map<string, { type: string; text: string }>();
    for (const name of readdirSync(join(folder, 'assets'))) {
      const type = types[name.split('.').at(-1) ?? ''];
      if (type !== undefined)
        assets.set(name, { type, text: readFileSync(join(folder, 'assets', name), 'utf8') });
    }
    return new ConsoleFiles(readFileSync(join(folder, 'index.html'), 'utf8'), assets);
  }

  /** The page itself. It is the same for every path of the console. `frames`: what it may frame. */
  page(frames?: string): HttpReply {
    return { type: 'text/html; charset=utf-8', body: this.#page, headers: consoleHeaders(frames) };
  }

  /** Undefined if there is no such file. */
  asset(name: string): HttpReply | undefined {
    const found = this.#assets.get(name);
    if (found === undefined) return undefined;
    // The name has a digest of the content.
    const headers = { 'cache-control': 'private, max-age=31536000, immutable' };
    return { type: found.type, body: found.text, headers };
  }
}
