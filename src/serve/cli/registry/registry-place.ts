// Where a registry is on this machine: its files, which everybody may read, and beside them its keys and the data of its
// server, which nobody else may.
import { accessSync, constants, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HostError } from '../../../model/host-error.js';
import { KeyFolder, type NamedKey } from '../../../registry/keys/key-folder.js';
import { onlineSignersOf } from '../../../registry/keys/role-keys.js';
import type { RegistrySigner } from '../../../registry/metadata/registry-key.js';
import { RegistryRepository } from '../../../registry/repository/registry-repository.js';
import type { OnlineSigners } from '../../../registry/repository/repository-signers.js';
import type { Arguments, Option } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

export const registryOption: Option = {
  name: 'registry',
  value: 'DIR',
  text: 'folder with the files of the registry (default: this folder)',
};

export const keysOption: Option = {
  name: 'keys',
  value: 'DIR',
  multiple: true,
  text: 'folder with keys; may be repeated (default: DIR.keys beside the registry)',
};

export const dataOption: Option = {
  name: 'data',
  value: 'DIR',
  text: 'private data: tokens, reviews, archives that wait (default: DIR.data beside the registry)',
};

export class RegistryPlace {
  readonly folder: string;
  readonly data: string;
  readonly repository: RegistryRepository;
  readonly keyFolders: readonly KeyFolder[];

  private constructor(folder: string, data: string, keyFolders: readonly KeyFolder[]) {
    this.folder = folder;
    this.data = data;
    this.keyFolders = keyFolders;
    this.repository = new RegistryRepository({ folder, lockFolder: resolve(data, 'lock'), now: Date.now });
  }

  static async open(
    args: Arguments,
    terminal: Terminal,
    folder = args.value('registry') ?? '.',
  ): Promise<RegistryPlace> {
    const path = resolve(terminal.cwd, folder);
    const named = args.values('keys').map((it) => resolve(terminal.cwd, it));
    const keychain = await terminal.registryKeychain();
    const keyFolders = (named.length === 0 ? [`${path}.keys`] : named).map(
      (it) => new KeyFolder({ folder: it, keychain }),
    );
    return new RegistryPlace(path, resolve(terminal.cwd, args.value('data') ?? `${path}.data`), keyFolders);
  }

  /** Throws if there is no registry here. */
  assertRegistry({ isFolder }: Pick<Terminal, 'isFolder'>): this {
    if (isFolder(this.data) || isFolder(join(this.folder, 'metadata'))) return this;
    throw new HostError('not_found', `there is no registry in ${this.folder}`, {
      hint: 'check the path; most commands take the folder as --registry DIR',
    });
  }

  /** Throws if the private data is there and cannot be used by this user. */
  assertData(): this {
    try {
      if (existsSync(this.data)) accessSync(this.data, constants.R_OK | constants.W_OK | constants.X_OK);
      return this;
    } catch (error) {
      throw new HostError(
        'state_unusable',
        `${this.data}, the private data of the registry, cannot be used`,
        {
          cause: error,
          hint: 'run this as the user who owns it, or name another folder: --data DIR',
        },
      );
    }
  }

  get newKeys(): KeyFolder {
    const [first] = this.keyFolders;
    if (first === undefined) throw new HostError('usage', 'name a folder for the keys: --keys DIR');
    return first;
  }

  async keys(): Promise<readonly NamedKey[]> {
    const lists = await Promise.all(this.keyFolders.map((it) => it.list()));
    return lists.flat();
  }

  async signers(): Promise<readonly RegistrySigner[]> {
    return (await this.keys()).map((it) => it.signer);
  }

  async online(): Promise<OnlineSigners> {
    await this.repository.finish();
    return onlineSignersOf(await this.repository.view(), await this.signers());
  }
}

/** The keys of a publisher that has no registry here. */
export async function publisherSigners(
  args: Arguments,
  terminal: Terminal,
): Promise<readonly RegistrySigner[]> {
  if (args.values('keys').length === 0)
    throw new HostError('usage', 'name the folder with your keys: --keys DIR', {
      hint: 'create one with "toolwharf registry keys create NAME --keys DIR", and give its line to the operator',
    });
  const signers = await (await RegistryPlace.open(args, terminal)).signers();
  if (signers.length > 0) return signers;
  throw new HostError('denied', `there are no keys in ${args.values('keys').join(', ')}`, {
    hint: 'create one with "toolwharf registry keys create NAME --keys DIR", and give its line to the operator',
  });
}
