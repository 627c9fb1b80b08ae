import { HostError } from '../model/host-error.js';
import { parseImage } from '../model/image.js';
import type { Package } from '../model/package.js';
import type { ProgramTarget } from '../model/program.js';
import { openEgress } from '../net/egress.js';
import { deliveredVariables, type SandboxProfile, workspaceMounts } from './launch.js';
import type { ProcessServices, SandboxedProcess } from './spawn.js';

/** A program that comes as an image. */
export type ContainerTarget = Extract<ProgramTarget, { kind: 'container' }>;

/** The image behind a program; undefined when it is something else. */
export function containerOf(of: Package, name: string): ContainerTarget | undefined {
  const target = of.programs.find((it) => it.name === name)?.target;
  return target?.kind === 'container' ? target : undefined;
}

/** Starts a container with everything that is lent to its package. Its proxy is its own, and ends with it. */
export async function spawnContained(
  { image }: ContainerTarget,
  argv: readonly string[],
  confinement: SandboxProfile,
  { containers, newSocket }: Pick<ProcessServices, 'containers' | 'newSocket'>,
): Promise<SandboxedProcess> {
  const reference = parseImage(image);
  if (reference === undefined)
    throw new HostError('not_supported', `the image ${image} has no digest, so it can mean another tomorrow`);
  if (containers === undefined) throw new HostError('not_supported', 'no containers are run here');
  const { network, hidden, limits } = confinement;
  const egress =
    network === null ? null : await openEgress({ socket: newSocket(), policy: network, armed: false });
  try {
    const process = await containers.start({
      image: reference,
      argv,
      environment: deliveredVariables(confinement),
      mounts: workspaceMounts(confinement),
      hidden,
      limits,
      egress: egress?.socket ?? null,
    });
    process.exited.catch(() => {}).finally(() => egress?.close());
    return { process, egress };
  } catch (error) {
    await egress?.close();
    throw error;
  }
}
