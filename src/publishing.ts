// Part of the composition root: connects the commands about registries to the real system.
import { randomBytes } from 'node:crypto';
import { sha256 } from './files/sha256.js';
import { readStoredVault } from './host/operator/stored-vault.js';
import { HostError } from './model/host-error.js';
import type { RegistrySetting } from './model/registry-setting.js';
import type { RegistrySource } from './model/source.js';
import { parseDestination } from './net/destination.js';
import { guardedClient } from './net/http-client.js';
import { denialFor } from './policy/denial.js';
import { withRegistries } from './registry/client/configured-registries.js';
import { registryPackageFacts } from './registry/client/registry-package.js';
import { type RegistryQuestion, searchRegistries } from './registry/client/registry-search.js';
import type { RegistrySet } from './registry/client/registry-set.js';
import { checkContribution } from './registry/contribute/check-contribution.js';
import { connectedModel } from './registry/contribute/model-check/connected-model.js';
import { registryKeychainItem } from './registry/keys/key-folder.js';
import {
  publishRemotely,
  type RemotePublicationOptions,
  renewRemotely,
  sendRemotely,
  yankRemotely,
} from './registry/publisher/remote-publication.js';
import { changesOf, type SignedPublication } from './registry/publisher/signed-publication.js';
import { mirrorRegistry } from './registry/repository/repository-mirror.js';
import { runSystemProgram } from './sandbox/system-program.js';
import { systemKeychain } from './secrets/keychain.js';
import { readModelKey } from './secrets/model-key.js';
import { readRegistryToken } from './secrets/registry-token.js';
import type {
  ContributionOptions,
  RegistryCopy,
  RegistryReach,
  ServerDelivery,
  ServerPublication,
  ServerRenewal,
  ServerWithdrawal,
  TextModelOptions,
} from './serve/cli/terminal/terminal.js';

export async function checkedContribution(options: ContributionOptions, signal: AbortSignal) {
  return checkContribution({
    ...options,
    model: await connectTextModel(options, signal),
    randomId: () => randomBytes(16).toString('hex'),
  });
}

export function registryKeychain() {
  return systemKeychain(process.platform, runSystemProgram, registryKeychainItem);
}

/** The model of the configuration, with its key; undefined if there is none. */
export async function connectTextModel({ model, state, policy }: TextModelOptions, signal: AbortSignal) {
  if (model === undefined) return undefined;
  const keyOf = async (host: string) =>
    model.keyVariable === undefined
      ? readStoredVault(vaultOf(state), (vault) => readModelKey(vault, host))
      : process.env[model.keyVariable];
  return connectedModel({ ...model, keyOf, certificates: policy.caCertificates, signal });
}

function vaultOf(state: string) {
  return { state, now: Date.now, passphrase: process.env.TOOLWHARF_PASSPHRASE };
}

/** Sends a release to a registry server, whose state is verified first. */
export async function publishAtServer({ release, ...at }: ServerPublication, signal: AbortSignal) {
  return asPublisher(at, signal, (options) => publishRemotely(release, options));
}

/** Withdraws a release at a registry server, whose state is verified first. */
export async function yankAtServer({ release, ...at }: ServerWithdrawal, signal: AbortSignal) {
  return asPublisher(at, signal, (options) => yankRemotely(release, options));
}

/** Signs the file of a namespace again. It may have expired already; that is why its publisher comes. */
export async function renewAtServer({ namespace, setting, ...at }: ServerRenewal, signal: AbortSignal) {
  return asPublisher({ ...at, setting: { ...setting, acceptExpired: true } }, signal, (options) =>
    renewRemotely(namespace, options),
  );
}

/** Sends what members of a team signed one after the other. */
export async function sendToServer({ publication, ...at }: ServerDelivery, signal: AbortSignal) {
  return asPublisher(at, signal, (options) => sendRemotely(publication, options));
}

/** What a publication changes in a registry of the configuration, for the person who signs it. */
export async function publicationChanges(
  publication: SignedPublication,
  setting: RegistrySetting,
  access: RegistryReach,
  signal: AbortSignal,
) {
  const policy = { ...access.policy, registries: [setting] };
  return withConfigured({ ...access, policy }, signal, async (set) => {
    const [client] = set.clients;
    if (client === undefined) throw new Error('one registry is one client');
    const { view } = await set.state(client);
    const found = await view.namespace(publication.namespace);
    return found === undefined ? undefined : changesOf(publication, found, view);
  });
}

export async function searchConfiguredRegistries(
  search: RegistryQuestion,
  access: RegistryReach,
  signal: AbortSignal,
) {
  return withConfigured(access, signal, (set) => searchRegistries(set, search));
}

export async function packageOfRegistries(
  source: Pick<RegistrySource, 'name' | 'range'>,
  access: RegistryReach,
  signal: AbortSignal,
) {
  return withConfigured(access, signal, (set) => registryPackageFacts(set, source));
}

/** Copies a registry of the configuration. Its state is verified first, against what this machine saw of it before. */
export async function mirrorConfigured(
  { setting, repository, acceptExpired, ...access }: RegistryCopy,
  signal: AbortSignal,
) {
  const own = { ...setting, ...(acceptExpired ? { acceptExpired } : {}) };
  const policy = { ...access.policy, registries: [own] };
  return withConfigured({ ...access, policy }, signal, async (set) => {
    const [client] = set.clients;
    if (client === undefined) throw new Error('one registry is one client');
    const { view } = await set.state(client);
    const root = await client.firstRoot();
    const report = await mirrorRegistry({
      ...{ from: view.transport, root, to: repository, now: Date.now() },
      acceptExpired: own.acceptExpired,
    });
    return { ...report, root: sha256(root) };
  });
}

function withConfigured<T>(
  { state, policy }: RegistryReach,
  signal: AbortSignal,
  work: (set: RegistrySet) => Promise<T>,
): Promise<T> {
  const denied = denialFor(policy.deny ?? [], 'toolwharf').network;
  const http = guardedClient();
  const tokenOf = (registry: string, host: string) =>
    readStoredVault(vaultOf(state), (vault) => readRegistryToken(vault, registry, host));
  const services = { state, http, now: Date.now, granted: [], denied, ca: policy.caCertificates, tokenOf };
  return withRegistries(policy.registries ?? [], services, signal, work);
}

/** How often something is signed again because somebody else changed the namespace meanwhile. */
const maxAttempts = 8;

async function asPublisher<T>(
  at: Omit<ServerPublication, 'release'>,
  signal: AbortSignal,
  work: (options: RemotePublicationOptions) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await asPublisherOnce(at, signal, work);
    } catch (error) {
      const isOutdated = error instanceof HostError && error.code === 'state_locked';
      if (!isOutdated || attempt === maxAttempts) throw error;
    }
}

async function asPublisherOnce<T>(
  { setting, state, policy, signers, token, collects }: Omit<ServerPublication, 'release'>,
  signal: AbortSignal,
  work: (options: RemotePublicationOptions) => Promise<T>,
): Promise<T> {
  const http = guardedClient();
  const url = setting.url ?? '';
  const { host, port } = parseDestination(url);
  const granted = [{ host, port }];
  const tokenOf = async (registry: string, host: string) =>
    token ?? (await readStoredVault(vaultOf(state), (vault) => readRegistryToken(vault, registry, host)));
  const services = { state, http, now: Date.now, granted, denied: [], ca: policy.caCertificates, tokenOf };
  return withRegistries([setting], services, signal, async (set) => {
    const [client] = set.clients;
    if (client === undefined) throw new Error('one registry is one client');
    const { view } = await set.state(client);
    const connection = { url, http, granted, ca: policy.caCertificates, token: token ?? '', signal };
    return work({ connection, view, signers, now: Date.now(), collects });
  });
}
