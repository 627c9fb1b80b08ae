import { parseSignIn, type SignInRecord, signedInProgram, signInSlot } from '../../secrets/sign-in-record.js';
import type { ValueInput, Vault } from '../../secrets/vault.js';

/** A sign-in with the program that it is for. */
export interface StoredSignIn {
  readonly package: string;
  readonly program: string;
  readonly record: SignInRecord;
}

/** The sign-ins in the vault. */
export class SignInStore {
  readonly #vault: Vault;
  /** The last change of each sign-in; the next one waits for it. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async get(packageId: string, program: string): Promise<SignInRecord | undefined> {
    const stored = await this.#vault.value(packageId, signInSlot(program));
    return stored === undefined ? undefined : parseSignIn(stored.value);
  }

  /** Seals a sign-in for the host of its server. Replaces the one before as a whole. */
  async put(
    packageId: string,
    program: string,
    record: SignInRecord,
    keyStorage?: ValueInput['keyStorage'],
  ): Promise<void> {
    await this.#vault.set({
      package: packageId,
      slot: signInSlot(program),
      value: JSON.stringify(record),
      audience: { kind: 'hosts', hosts: [new URL(record.url).hostname] },
      keyStorage,
    });
  }

  remove(packageId: string, program: string): Promise<boolean> {
    return this.#vault.unset(packageId, signInSlot(program));
  }

  /** The programs of a package that somebody is signed in to. Needs no key. */
  async programs(packageId: string): Promise<readonly string[]> {
    const entries = (await this.#vault.list()).filter((it) => it.package === packageId);
    return entries.flatMap((it) => signedInProgram(it.slot) ?? []);
  }

  async list(): Promise<readonly StoredSignIn[]> {
    const found: StoredSignIn[] = [];
    for (const { package: packageId, slot } of await this.#vault.list()) {
      const program = signedInProgram(slot);
      const record = program === undefined ? undefined : await this.get(packageId, program);
      if (program !== undefined && record !== undefined) found.push({ package: packageId, program, record });
    }
    return found;
  }

  /** Runs changes of one sign-in after each other, so that a refresh never brings back a removed one. */
  async exclusively<T>(packageId: string, program: string, change: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([packageId, program]);
    const before = this.#changes.get(key) ?? Promise.resolve();
    const work = before.then(change, change);
    const settled = work.catch(() => {});
    this.#changes.set(key, settled);
    try {
      return await work;
    } finally {
      if (this.#changes.get(key) === settled) this.#changes.delete(key);
    }
  }
}
