import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { RemoteHost } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { openSocketHost } from '../socket/socket-host.js';
import { type HttpHostOptions, openHttpHost } from './http-host.js';

/** `state`: the state directory of a host on this machine. `url` and `token`: a host behind `toolwharf serve`. */
export type ConnectOptions = { readonly state: string; readonly principal?: string } | HttpHostOptions;

/**
 * Connects to a host that runs in another process. Throws `host_unreachable` if none runs. Closing it disconnects; the
 * host keeps running.
 */
export async function openRemoteHost(options: ConnectOptions, version: string): Promise<RemoteHost> {
  if ('url' in options) return openHttpHost(options);
  const state = resolve(options.state);
  const principal = options.principal ?? `${userInfo().username}/library`;
  const host = await openSocketHost({ state, version, principal, cwd: process.cwd() });
  if (host !== undefined) return host;
  throw new HostError('host_unreachable', `no host runs for ${state}`, {
    hint: `start one: toolwharf serve --state ${state}`,
  });
}
