// A client of a registry with a state of its own.
import { join } from 'node:path';
import { RegistryClient, type RootTrust } from '../../src/registry/client/registry-client.js';
import { RegistryStore } from '../../src/registry/client/registry-store.js';
import { folderTransport } from '../../src/registry/transport/folder-transport.js';
import type { RegistryTransport } from '../../src/registry/transport/registry-transport.js';
import type { RegistryWorkbench } from './registry-workbench.js';

export interface ConsumerOptions {
  readonly transport?: RegistryTransport;
  readonly root?: RootTrust;
  readonly acceptExpired?: boolean;
  /** Name of its store; clients with the same name have the same memory. */
  readonly memory?: string;
}

let count = 0;

export function consumerOf(bench: RegistryWorkbench, options: ConsumerOptions = {}): RegistryClient {
  const memory = options.memory ?? `consumer-${count++}`;
  const store = RegistryStore.open(join(bench.base, memory, 'registry.db'));
  bench.onClose(() => store.close());
  return new RegistryClient({
    name: 'test',
    transport: options.transport ?? folderTransport(bench.folder),
    root: options.root ?? { file: bench.firstRoot },
    store,
    now: () => bench.clock.now,
    acceptExpired: options.acceptExpired ?? false,
  });
}

/** The versions of the releases of a namespace that a client sees after an update. */
export async function versionsSeen(client: RegistryClient, namespace: string): Promise<string[] | undefined> {
  const state = await client.update();
  const found = await client.namespace(state, namespace);
  return found?.map(({ release }) => `${release.name.text}@${release.version}`);
}
