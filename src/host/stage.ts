import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Bundle } from '../model/bundle.js';
import { HostError } from '../model/host-error.js';
import type { Catalog, Package } from '../model/package.js';
import { filesOf, type Loaded, PackageDigest } from './catalog.js';
import type { StagedFile } from './strip.js';

const prefix = 'toolwharf-stage-';
const lookMs = 10_000;

/** A root host confines tools as another user, who cannot enter a temporary folder that is root's alone. */
function parent(): string {
  return process.getuid?.() === 0 ? '/tmp' : tmpdir();
}

/**
 * Copies of packages as they were checked. What runs is the copy, so an edit between check and run changes
 * nothing. The folder lies where the sandbox's user can read it and nobody can list it.
 */
export class Stage {
  readonly root: string;
  readonly #looked = new Map<string, number>();
  /** What each copy consists of; its originals may be others by now. */
  readonly #files = new Map<string, readonly string[]>();
  readonly #making = new Map<string, Promise<string>>();
  #sockets = 0;

  constructor() {
    reap();
    this.root = mkdtempSync(join(parent(), `${prefix}${process.pid}-`));
    chmodSync(this.root, 0o711);
  }

  /** A path for a socket that the sandbox's user can reach, and nobody else. */
  newSocket(user: { readonly uid: number; readonly gid: number }): string {
    const folder = join(this.root, `net-${user.uid}`);
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (user.uid !== process.getuid?.()) chownSync(folder, user.uid, user.gid);
    }
    return join(folder, `${++this.#sockets}.sock`);
  }

  /** The folder with the files of a package; made on first use. */
  async place(loaded: Loaded): Promise<string> {
    const { catalog, bundle } = loaded;
    if (catalog === undefined) throw new Error('a broken package has nothing to stage');
    const target = join(this.root, catalog.digest);
    const busy = this.#making.get(target);
    if (busy !== undefined) return busy;
    if (this.#isWhole(target, bundle)) return target;
    const making = this.#make(loaded, catalog, target).finally(() => this.#making.delete(target));
    this.#making.set(target, making);
    return making;
  }

  async #make(
    { bundle }: Loaded,
    { package: of, digest: expected }: Catalog,
    target: string,
  ): Promise<string> {
    const strip = hasTypeScript(of, bundle)
      ? (await import('./strip.js')).stripper(of, bundle)
      : () => undefined;
    rmSync(target, { recursive: true, force: true });
    // Cleaners of temporary folders may have been here.
    mkdirSync(this.root, { recursive: true, mode: 0o711 });
    const draft = mkdtempSync(join(this.root, 'draft-'));
    try {
      const digest = new PackageDigest(of);
      const scripts: StagedFile[] = [];
      const files: string[] = [];
      for (const [path, bytes] of filesOf(bundle)) {
        digest.add(path, bytes);
        files.push(path);
        mkdirSync(dirname(join(draft, path)), { recursive: true });
        writeFileSync(join(draft, path), bytes);
        const script = strip(path, bytes);
        if (script !== undefined) scripts.push(script);
      }
      if (digest.finish() !== expected) {
        throw new HostError('integrity', `${of.id} changed on disk after it was checked`, {
          hint: 'connect again to have it checked anew',
        });
      }
      for (const { path, bytes } of scripts) writeFileSync(join(draft, path), bytes);
      makeReadable(draft);
      renameSync(draft, target);
      this.#files.set(target, files);
      return target;
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      throw error;
    }
  }

  /** Cleaners of temporary folders come by once in a while, so that looking once in a while is enough. */
  #isWhole(target: string, bundle: Bundle): boolean {
    const now = performance.now();
    if (now - (this.#looked.get(target) ?? Number.NEGATIVE_INFINITY) < lookMs) return existsSync(target);
    const whole = isWhole(target, this.#files.get(target) ?? bundle.files());
    if (whole) this.#looked.set(target, now);
    return whole;
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Whether there is anything to strip: the parser is large, and few packages need it. */
function hasTypeScript(of: Package, bundle: Bundle): boolean {
  const node = of.programs.some(
    (it) => it.target.kind === 'process' && it.target.runtime?.language === 'node',
  );
  return node && bundle.files().some((it) => /\.[cm]?ts$/.test(it));
}

/** Whatever the umask: the sandbox may run as another user. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else chmodSync(path, 0o755);
  }
}

/** Removes what hosts of this user left behind that were killed. */
function reap(): void {
  for (const name of readdirSync(parent())) {
    const owner = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    try {
      if (statSync(join(parent(), name)).uid === process.getuid?.())
        rmSync(join(parent(), name), { recursive: true, force: true });
    } catch {
      // Another host was faster.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isWhole(folder: string, files: readonly string[]): boolean {
  return existsSync(folder) && files.every((it) => existsSync(join(folder, it)));
}
