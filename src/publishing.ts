// Part of the composition root: connects the commands about registries to the real system.
import { randomBytes } from 'node:crypto';
import { storedModelKey } from './host/operator/stored-model-key.js';
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
  yankRemotely,
} from './registry/publisher/remote-publication.js';
import { runSystemProgram } from './sandbox/system-program.js';
import { systemKeychain } from './secrets/keychain.js';
import type {
  ContributionOptions,
  RegistryReach,
  ServerPublication,
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
  const vault = { state, now: Date.now, passphrase: process.env.TOOLWHARF_PASSPHRASE };
  const keyOf = async (host: string) =>
    model.keyVariable === undefined ? storedModelKey(vault, host) : process.env[model.keyVariable];
  return connectedModel({ ...model, keyOf, certificates: policy.caCertificates, signal });
}

/** Sends a release to a registry server, whose state is verified first. */
export async function publishAtServer({ release, ...at }: ServerPublication, signal: AbortSignal) {
  return asPublisher(at, signal, (options) => publishRemotely(release, options));
}

/** Withdraws a release at a registry server, whose state is verified first. */
export async function yankAtServer({ release, ...at }: ServerWithdrawal, signal: AbortSignal) {
  return asPublisher(at, signal, (options) => yankRemotely(release, options));
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

function withConfigured<T>(
  { state, policy }: RegistryReach,
  signal: AbortSignal,
  work: (set: RegistrySet) => Promise<T>,
): Promise<T> {
  const denied = denialFor(policy.deny ?? [], 'toolwharf').network;
  const http = guardedClient();
  const services = { state, http, now: Date.now, granted: [], denied, ca: policy.caCertificates };
  return withRegistries(policy.registries ?? [], services, signal, work);
}

async function asPublisher<T>(
  { setting, state, policy, signers, token }: Omit<ServerPublication, 'release'>,
  signal: AbortSignal,
  work: (options: RemotePublicationOptions) => Promise<T>,
): Promise<T> {
  const http = guardedClient();
  const url = setting.url ?? '';
  const { host, port } = parseDestination(url);
  const granted = [{ host, port }];
  const services = { state, http, now: Date.now, granted, denied: [], ca: policy.caCertificates, token };
  return withRegistries([setting], services, signal, async (set) => {
    const [client] = set.clients;
    if (client === undefined) throw new Error('one registry is one client');
    const { view } = await set.state(client);
    const connection = { url, http, granted, ca: policy.caCertificates, token, signal };
    return work({ connection, view, signers, now: Date.now() });
  });
}
