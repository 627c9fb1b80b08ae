import { WorkerPool } from '../../run/worker/worker-pool.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { onlyLooks } from '../session-setup.js';
import type { SessionServices } from './session-services.js';

/**
 * The services of a session that only looks. The session itself asks for no program; if a mistake makes it do so,
 * nothing can start, be fetched or be reached from here. Tests of the sandbox and of a container engine still work: they
 * run a program of the host.
 */
export function lookingServices(services: SessionServices): SessionServices {
  const sandbox = lookingSandbox(services.sandboxing.sandbox);
  const containers = lookingContainers(services.sandboxing.containers);
  const { environments } = services.sandboxing;
  const { processServices } = services.actions;
  return {
    ...services,
    sandboxing: {
      ...services.sandboxing,
      sandbox,
      containers,
      environments: {
        find: (need) => environments.find(need),
        place: (need) => environments.place(need),
        lockOf: (need) => environments.lockOf(need),
        useLock: rejected,
        skippedScripts: (need) => environments.skippedScripts(need),
        prepare: rejected,
        remove: rejected,
      },
    },
    actions: {
      ...services.actions,
      processServices: { ...processServices, sandbox, containers },
      client: { send: rejected, open: rejected },
      warm: null,
      pool: new WorkerPool(sandbox),
    },
    upstreams: {
      ...services.upstreams,
      connect: { nexo: async () => rejected, mcp: async () => rejected },
    },
  };
}

function lookingSandbox(sandbox: Sandbox): Sandbox {
  const { name, isolates, user } = sandbox;
  return {
    ...{ name, isolates, user },
    probe: () => sandbox.probe({ onlyShown: true }),
    inside: (mount) => sandbox.inside(mount),
    spawn: () => {
      throw onlyLooks('start a process');
    },
  };
}

function lookingContainers(containers: Containers): Containers {
  return {
    engine: containers.engine,
    get lastProbe() {
      return containers.lastProbe;
    },
    probe: () => containers.probe(),
    has: (image) => containers.has(image),
    testedEngine: rejected,
    pull: rejected,
    remove: rejected,
    start: rejected,
    close: async () => {},
  };
}

async function rejected(): Promise<never> {
  throw onlyLooks('start or reach a program');
}
