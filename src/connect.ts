import type { RemoteHost } from './host/host.js';
import type { ConnectOptions } from './serve/remote/connect-host.js';
import { version } from './version.js';

/**
 * Connects to a host that runs in another process: on this machine by its state directory, or behind `toolwharf serve`
 * by URL and token. Throws `host_unreachable` if none runs. Closing it disconnects; the host keeps running.
 */
export async function connectHost(options: ConnectOptions): Promise<RemoteHost> {
  // Loaded late: most programs that create a host connect to none.
  const { openRemoteHost } = await import('./serve/remote/connect-host.js');
  return openRemoteHost(options, version);
}
