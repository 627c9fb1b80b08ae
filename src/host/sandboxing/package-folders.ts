import { chmodSync, chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { firstImpassableFolder, type SandboxUser } from '../../sandbox/path-access.js';

/**
 * Folders that outlive the processes of packages: data and installed language packages. They are in the state
 * directory. If the host runs as root, its processes run as another user; where that user cannot enter the state
 * directory, the folders are in /var/lib/toolwharf.
 */
export class PackageFolders {
  readonly #base: string;
  readonly #user: SandboxUser;

  constructor(state: string, user: SandboxUser) {
    this.#user = user;
    this.#base = baseOf(state, user);
  }

  /** The folder that contains all the others. */
  get base(): string {
    return this.#base;
  }

  /** The writable folder of one package. */
  dataFolder(packageId: string): string {
    const folder = join(this.#base, 'data', fileName(packageId));
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    if (this.#user.uid !== process.getuid?.()) chownSync(folder, this.#user.uid, this.#user.gid);
    chmodSync(folder, 0o700);
    return folder;
  }

  /** Whether a package with this id ever had a data folder. */
  hasData(packageId: string): boolean {
    return existsSync(join(this.#base, 'data', fileName(packageId)));
  }

  /** Deletes the data folder of a package. False if there was none. */
  eraseData(packageId: string): boolean {
    const folder = join(this.#base, 'data', fileName(packageId));
    if (!existsSync(folder)) return false;
    rmSync(folder, { recursive: true, force: true });
    return true;
  }

  /** Where sources are fetched by sandboxed programs. */
  sourcesFolder(): string {
    return join(this.#base, 'sources');
  }

  /** Where language packages are installed. */
  environmentsFolder(): string {
    const folder = join(this.#base, 'environments');
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    return folder;
  }
}

function baseOf(state: string, user: SandboxUser): string {
  if (user.uid === process.getuid?.()) return state;
  if (firstImpassableFolder(dirname(state), user) === undefined) {
    // Other users may enter the folder but not list it; secret files in it are readable by their owner only.
    chmodSync(state, 0o711);
    return state;
  }
  const name = sha256(state).slice(0, 16);
  const base = join('/var/lib/toolwharf', name);
  try {
    mkdirSync(base, { recursive: true, mode: 0o711 });
    return base;
  } catch (error) {
    throw new HostError('state_unusable', `the folder ${base} cannot be created`, {
      cause: error,
      hint: `sandboxed processes cannot enter ${state}; choose a state directory that other users can enter with --state`,
    });
  }
}

/** An id that is not safe as a file name is replaced by its hash. */
function fileName(id: string): string {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(id) ? `id-${id}` : `hash-${sha256(id)}`;
}
