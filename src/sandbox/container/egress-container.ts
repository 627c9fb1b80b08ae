import { HostError } from '../../model/host-error.js';
import { egressSocketInside, proxyEnvironment, withRelay } from '../relay/relay.js';
import { defaultSandboxLimits, type Mount, type SandboxProcess } from '../sandbox.js';
import type { ContainerPlan } from './run-arguments.js';

/** Functions that start the egress container and the tool's container. */
export interface EgressLaunch {
  /** Mounts with the system's programs. */
  readonly system: readonly Mount[];
  readonly relay: (
    plan: Omit<ContainerPlan, 'name' | 'label' | 'user' | 'secretVariableNames' | 'image'>,
  ) => {
    readonly name: string;
    readonly process: SandboxProcess;
  };
  readonly tool: (network: string, proxyVariables: Readonly<Record<string, string>>) => SandboxProcess;
}

const startTimeoutMs = 20_000;

/**
 * Starts a container with network access. It shares the network namespace of a second container (the egress container),
 * which has only a loopback device and a relay from 127.0.0.1 to the socket of the egress proxy. The tool's container
 * never gets the socket, and the engine's own networks are never used. The relay listens before the tool starts, and
 * stops with it.
 */
export async function startWithEgress(
  socket: string,
  { system, relay, tool }: EgressLaunch,
): Promise<SandboxProcess> {
  const egress = relay({
    argv: withRelay(['/bin/sh', '-c', 'echo ready; exec cat >/dev/null']),
    publicVariables: {},
    layers: {
      mounts: [...system, { source: socket, target: egressSocketInside, writable: false }],
      masks: [],
    },
    limits: { ...defaultSandboxLimits, processes: 8, memoryBytes: 128 * 1024 * 1024, cpuSeconds: 86_400 },
    network: null,
  });
  try {
    await ready(egress.process);
    const process = tool(egress.name, proxyVariables());
    const exited = process.exited.finally(() => egress.process.kill());
    exited.catch(() => {});
    return { ...process, exited };
  } catch (error) {
    egress.process.kill();
    throw error;
  }
}

/** Variables that name the proxy. Without NODE_OPTIONS, because its preload file is not in the image. */
function proxyVariables(): Record<string, string> {
  const { NODE_OPTIONS: _options, ...proxy } = proxyEnvironment('');
  return proxy;
}

function ready({ stdout, stderr, exited, kill }: SandboxProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errorText = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      kill();
      reject(new HostError('sandbox_unavailable', `the egress container could not be started: ${why}`));
    };
    const timer = setTimeout(
      () => fail(`it was not ready within ${startTimeoutMs / 1000} s`),
      startTimeoutMs,
    );
    stderr.on('data', (chunk) => {
      errorText = (errorText + String(chunk)).slice(-500);
    });
    stdout.once('data', () => {
      clearTimeout(timer);
      resolve();
    });
    exited.then(
      () => fail(errorText.trim() || 'it exited'),
      (error) => fail(String(error)),
    );
  });
}
