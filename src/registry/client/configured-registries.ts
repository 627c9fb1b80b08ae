// Opens the registries that an operator configured, with what this machine knows about each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import type { NetworkHost } from '../../model/permissions.js';
import { type RegistrySetting, rootFingerprintPattern } from '../../model/registry-setting.js';
import { parseDestination } from '../../net/destination.js';
import type { HttpClient } from '../../net/http-client.js';
import { folderTransport } from '../transport/folder-transport.js';
import { httpTransport, type TransportTimes } from '../transport/http-transport.js';
import type { RegistryTransport } from '../transport/registry-transport.js';
import { RegistryClient, type RootTrust } from './registry-client.js';
import { type ConfiguredRegistry, RegistrySet } from './registry-set.js';
import { RegistryStore } from './registry-store.js';

export interface RegistryServices {
  /** The state directory. */
  readonly state: string;
  readonly http: HttpClient;
  readonly now: () => number;
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
  readonly ca?: string | undefined;
  readonly times?: TransportTimes | undefined;
  /** The token that a registry at a host is read with; undefined: it is open. Default: all are. */
  readonly tokenOf?: ((registry: string, host: string) => Promise<string | undefined>) | undefined;
}

const maxRootBytes = 512 * 1024;
const maxTokenLength = 1000;

/** Runs work with the configured registries, and closes what they opened. */
export async function withRegistries<T>(
  settings: readonly RegistrySetting[],
  services: RegistryServices,
  signal: AbortSignal,
  work: (set: RegistrySet) => Promise<T>,
): Promise<T> {
  const stores: RegistryStore[] = [];
  try {
    const registries: ConfiguredRegistry[] = [];
    for (const setting of settings) {
      const store = RegistryStore.open(join(services.state, 'registries', `${setting.name}.db`));
      stores.push(store);
      const client = new RegistryClient({
        name: setting.name,
        transport: await transportOf(setting, services, signal),
        root: rootOf(setting),
        store,
        now: services.now,
        acceptExpired: setting.acceptExpired === true,
      });
      registries.push({
        ...{ client, priority: setting.priority ?? 0, namespaces: setting.namespaces ?? [] },
      });
    }
    return await work(new RegistrySet(registries));
  } finally {
    for (const it of stores) it.close();
  }
}

async function transportOf(
  { name, url, path, tokenFile }: RegistrySetting,
  { http, granted, denied, ca, times, tokenOf }: RegistryServices,
  signal: AbortSignal,
): Promise<RegistryTransport> {
  if (path !== undefined) return folderTransport(path);
  if (url === undefined)
    throw new HostError('invalid_config', `the registry ${name} has neither a URL nor a path`);
  const { host, port } = parseDestination(url);
  // The operator named this host, so it may be anywhere. Signatures protect what it sends, also without TLS.
  const token = tokenFile === undefined ? await tokenOf?.(name, host) : tokenIn(name, tokenFile);
  return httpTransport({
    url,
    http,
    granted: [...granted, { host, port }],
    denied,
    ca,
    token,
    signal,
    times,
  });
}

function tokenIn(name: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(text)) return text;
  } catch (error) {
    throw new HostError('invalid_config', `the token file of the registry ${name} cannot be read: ${file}`, {
      cause: error,
      hint: 'write the path of the file with the token that the operator of the registry gave you',
    });
  }
  throw new HostError('invalid_config', `${file} does not contain one token for the registry ${name}`, {
    hint: 'write only the token into it',
  });
}

function rootOf({ name, root }: RegistrySetting): RootTrust {
  if (rootFingerprintPattern.test(root)) return { fingerprint: root };
  try {
    const file = readFileSync(root);
    if (file.length <= maxRootBytes) return { file };
  } catch (error) {
    throw new HostError('invalid_config', `the root file of the registry ${name} cannot be read: ${root}`, {
      cause: error,
      hint: 'write the path of the root file, or the SHA-256 that the operator of the registry gave you',
    });
  }
  throw new HostError('invalid_config', `${root} is too large for the root file of a registry`);
}
