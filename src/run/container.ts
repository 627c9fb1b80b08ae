import { HostError } from '../model/host-error.js';
import { parseImageReference } from '../model/image-reference.js';
import type { Package } from '../model/package.js';
import type { ProgramTarget } from '../model/program.js';
import { openEgress } from '../net/egress.js';
import { commonMounts, type SandboxProfile, slotVariables, trustVariables } from './sandbox-command.js';
import type { ProcessServices, SandboxedProcess } from './sandboxed-process.js';

/** A program that comes as a container image. */
export type ContainerTarget = Extract<ProgramTarget, { kind: 'container' }>;

/** The container target of a program; undefined if the program has another target. */
export function containerTargetOf(pkg: Package, name: string): ContainerTarget | undefined {
  const target = pkg.programs.find((it) => it.name === name)?.target;
  return target?.kind === 'container' ? target : undefined;
}

/** Starts a container with the mounts and values of its package. It has its own egress proxy, which stops with it. */
export async function spawnContainer(
  { image, keepsEntrypoint }: ContainerTarget,
  argv: readonly string[],
  profile: SandboxProfile,
  {
    containers,
    newSocket,
    onDenied,
    variables = {},
    home,
  }: Pick<ProcessServices, 'containers' | 'newSocket' | 'onDenied'> & {
    /** Further variables of this one run. */
    readonly variables?: Readonly<Record<string, string>>;
    /** Its home folder inside. */
    readonly home?: string;
  },
): Promise<SandboxedProcess> {
  const reference = parseImageReference(image);
  if (reference === undefined)
    throw new HostError('not_supported', `the image ${image} has no digest, so its content could change`);
  if (containers === undefined) throw new HostError('not_supported', 'this host does not run containers');
  const { network, hidden, unanchored, limits } = profile;
  const egress =
    network === null
      ? null
      : await openEgress({ socket: newSocket(), policy: network, active: false, onDenied });
  try {
    const process = await containers.start({
      image: reference,
      argv,
      environment: {
        ...trustVariables(profile, { inside: (it) => it.target }),
        ...slotVariables(profile),
        ...variables,
      },
      mounts: commonMounts(profile),
      hidden,
      unanchored,
      limits,
      ...(home === undefined ? {} : { home }),
      ...(keepsEntrypoint === true ? { keepsEntrypoint } : {}),
      egress: egress?.socket ?? null,
    });
    profile.guard?.started(process);
    process.exited.catch(() => {}).finally(() => egress?.close());
    return { process, egress };
  } catch (error) {
    await egress?.close();
    throw error;
  }
}
