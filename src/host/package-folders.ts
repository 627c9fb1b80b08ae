import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { obstacle, type User } from '../sandbox/access.js';

/**
 * Folders that processes of packages use and that outlive them. They lie in the state directory; a root host, whose
 * processes are another user that cannot enter root's folders, keeps them in the system's own place instead.
 */
export class PackageFolders {
  readonly #base: string;
  readonly #user: User;

  constructor(state: string, user: User) {
    this.#user = user;
    this.#base = baseOf(state, user);
  }

  /** Everything below it belongs to the host. */
  get base(): string {
    return this.#base;
  }

  /** The writable folder of one package. */
  data(packageId: string): string {
    const folder = join(this.#base, 'data', fileName(packageId));
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    if (this.#user.uid !== process.getuid?.()) chownSync(folder, this.#user.uid, this.#user.gid);
    chmodSync(folder, 0o700);
    return folder;
  }

  /** Whether a package of this id ever had one. */
  hasData(packageId: string): boolean {
    return existsSync(join(this.#base, 'data', fileName(packageId)));
  }

  /** Where language packages are installed. */
  environments(): string {
    const folder = join(this.#base, 'environments');
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    return folder;
  }
}

function baseOf(state: string, user: User): string {
  if (user.uid === process.getuid?.()) return state;
  if (obstacle(dirname(state), user) === undefined) {
    // Names can be passed through, not listed; what is secret in there is readable by its owner only.
    chmodSync(state, 0o711);
    return state;
  }
  const name = createHash('sha256').update(state).digest('hex').slice(0, 16);
  const base = join('/var/lib/toolwharf', name);
  try {
    mkdirSync(base, { recursive: true, mode: 0o711 });
    return base;
  } catch (error) {
    throw new HostError('state_unusable', `${base} cannot be made`, {
      cause: error,
      hint: `confined processes cannot enter ${state}; name a state directory they can pass with --state`,
    });
  }
}

/** Ids are names of packages, not of files: whatever is not plain becomes its hash. */
function fileName(id: string): string {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(id)
    ? `id-${id}`
    : `hash-${createHash('sha256').update(id).digest('hex')}`;
}
