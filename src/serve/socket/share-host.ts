import { rmSync } from 'node:fs';
import type { Host } from '../../host/host.js';
import { socketPath } from './socket-path.js';

/** A command that ends sooner is not shared: another one, which tries again after 100 ms, hardly waits for it. */
const shareAfterMs = 50;

/** Lets other commands use the host of this command. Closing waits until they are done. */
export function shareHost(host: Host, state: string, version: string): Host {
  // This host has the lock of the state directory, so a socket that is there is left from a killed command.
  rmSync(socketPath(state, 'command'), { force: true });
  let sharing: ReturnType<typeof openCommandSocket> | undefined;
  const timer = setTimeout(() => {
    sharing = openCommandSocket(host, state, version);
  }, shareAfterMs);
  return {
    ...host,
    async close() {
      clearTimeout(timer);
      await (await sharing)?.drain();
      await host.close();
    },
  };
}

/** Null if it cannot be opened: then other commands wait until this one ends. */
async function openCommandSocket(host: Host, state: string, version: string) {
  const { openSocketServer } = await import('./server.js');
  const onBug = (error: unknown) => void process.stderr.write(`${String(error)}\n`);
  return openSocketServer(host, {
    path: socketPath(state, 'command'),
    version,
    state,
    now: Date.now,
    onBug,
  }).catch(() => null);
}
