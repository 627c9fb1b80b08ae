// Which registry --to names, and the token for its server.
import { resolve } from 'node:path';
import { HostError } from '../../../model/host-error.js';
import type { RegistrySetting } from '../../../model/registry-setting.js';
import type { Arguments, Option } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

export const tokenFileOption: Option = {
  name: 'token-file',
  value: 'FILE',
  text: 'token of the registry server (or TOOLWHARF_REGISTRY_TOKEN)',
};

export type RegistryChoice =
  | { readonly kind: 'server'; readonly setting: RegistrySetting }
  /** An absolute path. */
  | { readonly kind: 'folder'; readonly folder: string };

/** The configured registry of a name or URL, or a folder of this machine. */
export function chosenRegistry(
  to: string,
  settings: readonly RegistrySetting[],
  terminal: Pick<Terminal, 'cwd' | 'isFolder'>,
): RegistryChoice {
  const setting = configuredAs(to, settings);
  if (setting?.url !== undefined) return { kind: 'server', setting };
  const folder = setting?.path ?? resolve(terminal.cwd, to);
  if (terminal.isFolder(folder)) return { kind: 'folder', folder };
  throw new HostError('not_found', `${to} is neither a configured registry nor a folder`, {
    hint: 'add it to your configuration: [registries.NAME] with url and root; or name the folder of a registry',
  });
}

/** The registry of the configuration with this name or URL; undefined: none. */
export function configuredAs(
  text: string,
  settings: readonly RegistrySetting[],
): RegistrySetting | undefined {
  return settings.find((it) => it.name === text || sameUrl(it, text));
}

export function registryTokenOf(args: Arguments, terminal: Terminal): string {
  const file = args.value('token-file');
  const text =
    file === undefined
      ? terminal.environment.TOOLWHARF_REGISTRY_TOKEN
      : terminal.readFile(resolve(terminal.cwd, file));
  const token = text?.trim() ?? '';
  if (token !== '') return token;
  if (file !== undefined)
    throw new HostError('auth_required', `there is no token in ${file}`, {
      hint: 'write the token that the operator of the registry gave you into this file',
    });
  throw new HostError('auth_required', 'a registry server needs a token from those who publish', {
    hint: 'ask its operator for one, then use --token-file FILE or the variable TOOLWHARF_REGISTRY_TOKEN',
  });
}

function sameUrl({ url }: RegistrySetting, to: string): boolean {
  return url !== undefined && url.replace(/\/$/, '') === to.replace(/\/$/, '');
}
