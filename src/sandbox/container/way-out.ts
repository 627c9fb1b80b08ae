import { HostError } from '../../model/host-error.js';
import { egressSocketInside, proxyEnvironment, relayed } from '../relay.js';
import { defaultLimits, type Mount, type SandboxProcess } from '../sandbox.js';
import type { ContainerPlan } from './arguments.js';

/** How the two containers are started. */
export interface Launching {
  /** The system's own programs. */
  readonly system: readonly Mount[];
  readonly relay: (plan: Omit<ContainerPlan, 'name' | 'label' | 'user' | 'closed' | 'image'>) => {
    readonly name: string;
    readonly process: SandboxProcess;
  };
  readonly tool: (network: string, open: Readonly<Record<string, string>>) => SandboxProcess;
}

const patienceMs = 20_000;

/**
 * A container with a way out. Its network is that of a second one, which has nothing but a loopback device too, and in
 * which a relay leads from 127.0.0.1 to the socket of the proxy. The tool's own container never holds the socket, and the
 * engine's network is never used. The relay listens before the tool starts, and ends with it.
 */
export async function openWayOut(
  socket: string,
  { system, relay, tool }: Launching,
): Promise<SandboxProcess> {
  const way = relay({
    argv: relayed(['/bin/sh', '-c', 'echo ready; exec cat >/dev/null']),
    open: {},
    mounts: [...system, { source: socket, target: egressSocketInside, writable: false }],
    plan: { pins: [], covers: [] },
    limits: { ...defaultLimits, processes: 8, memoryBytes: 128 * 1024 * 1024, cpuSeconds: 86_400 },
    network: null,
  });
  try {
    await ready(way.process);
    const process = tool(way.name, openly());
    const exited = process.exited.finally(() => way.process.kill());
    exited.catch(() => {});
    return { ...process, exited };
  } catch (error) {
    way.process.kill();
    throw error;
  }
}

/** What programs find the proxy by. Node's own way is a file of the sandbox, which no image has. */
function openly(): Record<string, string> {
  const { NODE_OPTIONS: _options, ...proxy } = proxyEnvironment('');
  return proxy;
}

function ready({ stdout, stderr, exited, kill }: SandboxProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      kill();
      reject(new HostError('sandbox_unavailable', `the way out of a container cannot be opened: ${why}`));
    };
    const timer = setTimeout(() => fail('it took too long'), patienceMs);
    stderr.on('data', (chunk) => {
      complaint = (complaint + String(chunk)).slice(-500);
    });
    stdout.once('data', () => {
      clearTimeout(timer);
      resolve();
    });
    exited.then(
      () => fail(complaint.trim() || 'its container ended'),
      (error) => fail(String(error)),
    );
  });
}
