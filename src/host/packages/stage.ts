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
import { sha256 } from '../../files/sha256.js';
import type { Bundle } from '../../model/bundle.js';
import { HostError } from '../../model/host-error.js';
import type { Catalog, Package } from '../../model/package.js';
import { isAlive } from '../../sandbox/live-process.js';
import type { LoadedPackage } from './loaded-package.js';
import { bundleFiles, type PackageDigests } from './package-digest.js';
import type { StagedFile } from './type-stripper.js';

const prefix = 'toolwharf-stage-';
/** How long a copy is trusted to be complete after a check. */
const recheckMs = 10_000;

/** If the host runs as root, tools run as another user, who may not be able to enter root's temporary folder. */
function parentFolder(): string {
  return process.getuid?.() === 0 ? '/tmp' : tmpdir();
}

/**
 * Copies of packages as they were checked. Calls run the copy, so an edit after the check has no effect. The user of
 * the sandbox can read the folder; nobody else can list it.
 */
export class Stage {
  readonly root: string;
  readonly #digests: PackageDigests;
  /** When each copy was last found complete. */
  readonly #checkedAt = new Map<string, number>();
  /** The files of each copy; the original may have other files by now. */
  readonly #files = new Map<string, readonly string[]>();
  readonly #copying = new Map<string, Promise<string>>();
  #sockets = 0;

  constructor(digests: PackageDigests) {
    this.#digests = digests;
    removeAbandoned();
    this.root = mkdtempSync(join(parentFolder(), `${prefix}${process.pid}-`));
    chmodSync(this.root, 0o711);
  }

  /** A path for a socket that only the user of the sandbox can reach. */
  newSocket(user: { readonly uid: number; readonly gid: number }): string {
    const folder = join(this.root, `net-${user.uid}`);
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (user.uid !== process.getuid?.()) chownSync(folder, user.uid, user.gid);
    }
    return join(folder, `${++this.#sockets}.sock`);
  }

  /**
   * The folder with the copy of a package; made on first use. Throws `integrity` if the files changed after the
   * check.
   */
  async folderFor(loaded: LoadedPackage): Promise<string> {
    const { catalog, bundle } = loaded;
    if (catalog === undefined) throw new Error('a broken package has nothing to stage');
    const target = join(this.root, catalog.digest);
    const busy = this.#copying.get(target);
    if (busy !== undefined) return busy;
    if (this.#isComplete(target, bundle)) return target;
    const making = this.#make(loaded, catalog, target).finally(() => this.#copying.delete(target));
    this.#copying.set(target, making);
    return making;
  }

  async #make(
    { bundle }: LoadedPackage,
    { package: pkg, digest: expected }: Catalog,
    target: string,
  ): Promise<string> {
    const strip = hasTypeScript(pkg, bundle)
      ? (await import('./type-stripper.js')).typeStripper(pkg, bundle)
      : () => undefined;
    rmSync(target, { recursive: true, force: true });
    // A cleaner of temporary files may have removed it.
    mkdirSync(this.root, { recursive: true, mode: 0o711 });
    const draft = mkdtempSync(join(this.root, 'draft-'));
    try {
      const digest = this.#digests.begin(pkg);
      const scripts: StagedFile[] = [];
      const files: string[] = [];
      for (const [path, bytes] of bundleFiles(bundle)) {
        digest.add(path, bytes);
        assertDeclaredContent(pkg, path, bytes);
        files.push(path);
        mkdirSync(dirname(join(draft, path)), { recursive: true });
        writeFileSync(join(draft, path), bytes);
        const script = strip(path, bytes);
        if (script !== undefined) scripts.push(script);
      }
      if (digest.finish() !== expected) {
        throw new HostError('integrity', `${pkg.id} changed on disk after it was checked`, {
          hint: 'open a new session, which checks the package again',
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

  /** Cleaners of temporary files run rarely, so an occasional check is enough. */
  #isComplete(target: string, bundle: Bundle): boolean {
    const now = performance.now();
    if (now - (this.#checkedAt.get(target) ?? Number.NEGATIVE_INFINITY) < recheckMs)
      return existsSync(target);
    const whole = isComplete(target, this.#files.get(target) ?? bundle.files());
    if (whole) this.#checkedAt.set(target, now);
    return whole;
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A file that stands for a download must be the declared one, even if it was changed after the manifest was read. */
function assertDeclaredContent({ id, install }: Package, path: string, bytes: Uint8Array): void {
  if (install.kind !== 'url' || install.file !== path) return;
  const actual = sha256(bytes);
  if (actual !== install.sha256)
    throw new HostError(
      'integrity',
      `${path} of ${id} has the SHA-256 ${actual}, but the manifest declares ${install.sha256}`,
    );
}

/** Whether there are types to strip. Avoids loading the large parser, which few packages need. */
function hasTypeScript(pkg: Package, bundle: Bundle): boolean {
  const node = pkg.programs.some(
    (it) => it.target.kind === 'process' && it.target.runtime?.language === 'node',
  );
  return node && bundle.files().some((it) => /\.[cm]?ts$/.test(it));
}

/** Independent of the umask, because the sandbox may run as another user. */
function makeReadable(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeReadable(path);
    else chmodSync(path, 0o755);
  }
}

/** Removes the folders of killed hosts of this user. */
function removeAbandoned(): void {
  for (const name of readdirSync(parentFolder())) {
    const owner = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    try {
      if (statSync(join(parentFolder(), name)).uid === process.getuid?.())
        rmSync(join(parentFolder(), name), { recursive: true, force: true });
    } catch {
      // Another host removed it first.
    }
  }
}

function isComplete(folder: string, files: readonly string[]): boolean {
  return existsSync(folder) && files.every((it) => existsSync(join(folder, it)));
}

/** Copies packages to the stage. `next` is called before each package; false stops. */
export async function stageAll(
  packages: readonly StageablePackage[],
  stage: Stage,
  next: () => Promise<boolean>,
): Promise<void> {
  for (const { loaded, blocked } of packages) {
    if (loaded.catalog === undefined || loaded.stale !== undefined || blocked?.state === 'needs-review')
      continue;
    if (!(await next())) return;
    // Fails if the files were edited in between; that edit causes a reload.
    await stage.folderFor(loaded).catch(() => {});
  }
}

interface StageablePackage {
  readonly loaded: LoadedPackage;
  readonly blocked: { readonly state: string } | null;
}
