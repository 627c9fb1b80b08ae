import { asHostError } from '../../model/host-error.js';
import { imageReferenceText } from '../../model/image-reference.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { ProbeResult, Sandbox } from '../../sandbox/sandbox.js';
import type { CheckedPackage, PackageStatus } from './checked-package.js';

/** Why a package cannot use its container images now; undefined if it can, or has none. */
export async function imageStatus(
  { loaded, needs }: Pick<CheckedPackage, 'loaded' | 'needs'>,
  containers: Containers,
): Promise<PackageStatus | undefined> {
  const images = needs.flatMap((it) => it.image ?? []);
  if (images.length === 0) return undefined;
  try {
    for (const image of images) {
      if (await containers.has(image)) continue;
      const reason = `its image ${imageReferenceText(image)} is not on this machine, and calls fetch nothing. Fetch it: toolwharf install ${shellQuote(loaded.file)}`;
      return { state: 'needs-setup', reasons: [reason] };
    }
    const probe = await containers.probe();
    if (probe.level !== 'unavailable') return undefined;
    const reasons = probe.reasons.map(
      (it) => `containers cannot be isolated on this machine: ${it}; ${probe.hint}`,
    );
    return { state: 'unavailable', reasons, code: 'sandbox_unavailable' };
  } catch (error) {
    const { message, hint, code } = asHostError(error);
    const reasons = [hint === undefined ? message : `${message}; ${hint}`];
    return { state: 'unavailable', reasons, code: code === 'runtime_missing' ? code : 'sandbox_unavailable' };
  }
}

/** How well the programs of a package are confined: by the engine if all are container images, else by the sandbox. */
export function sandboxProbeFor(
  { needs }: Pick<CheckedPackage, 'needs'>,
  { sandbox, containers }: { readonly sandbox: Sandbox; readonly containers: Containers },
): Promise<ProbeResult> {
  return needs.every((it) => it.image !== undefined) ? containers.probe() : sandbox.probe();
}
