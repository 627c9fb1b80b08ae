// A machine of a consumer: a host that installs a package from the registry of a workbench.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../src/files/sha256.js';
import { createHost, type Host, type Session, type SessionPolicy } from '../../src/index.js';
import { parsePackageName } from '../../src/registry/names/package-name.js';
import { quarantineRelease } from '../../src/registry/repository/release-quarantine.js';
import { counterPackage } from './lifecycle-packages.js';
import { RegistryWorkbench } from './registry-workbench.js';

export const counterSource = 'registry:acme/counter';

export interface RegistryMachine {
  readonly host: Host;
  readonly state: string;
  session(policy?: Partial<SessionPolicy>): Promise<Session>;
}

/** A registry with `acme/counter` 1.0.0, which is the real time of the hosts. */
export async function counterRegistry(answer = 'one'): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  bench.clock.now = Date.now();
  await bench.create();
  await bench.approve('acme');
  await publishCounter(bench, '1.0.0', answer);
  return bench;
}

export async function publishCounter(
  bench: RegistryWorkbench,
  version: string,
  answer: string,
): Promise<void> {
  const files = Object.entries(counterPackage({ version, answer }));
  // A release replaces the manifest that the workbench writes.
  const own = files.map(([name, text]) => [name.replace('counter/', ''), text] as const);
  await bench.publish('acme/counter', version, Object.fromEntries(own));
}

export async function quarantineCounter(
  bench: RegistryWorkbench,
  version: string,
  reason: string,
): Promise<void> {
  const release = { name: parsePackageName('acme/counter'), version, reason };
  await bench.repository.change(bench.keys.online, (change) => quarantineRelease(change, release));
}

export async function registryMachine(bench: RegistryWorkbench, name: string): Promise<RegistryMachine> {
  const root = join(bench.base, `${name}-project`);
  mkdirSync(root, { recursive: true });
  const state = join(bench.base, name);
  const host = await createHost({ state });
  return {
    host,
    state,
    session: (policy = {}) =>
      host.session({
        ...{ directories: [], accept: null, root, allow: [] },
        policy: {
          registries: [{ name: 'main', path: bench.folder, root: sha256(bench.firstRoot) }],
          rules: [{ tool: '*', undeclaredEffect: 'write', approval: 'allow', origin: { kind: 'session' } }],
          ...policy,
        },
      }),
  };
}

export async function installCounter(session: Session): Promise<void> {
  const plan = await session.installations.plan({ source: counterSource });
  await session.installations.install({ source: counterSource, agree: plan.digest, by: 'operator' });
}

export function countWith(session: Session) {
  return session.call({ tool: 'counter/count', arguments: { text: 'a' } });
}
