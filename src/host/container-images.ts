import { asHostError, HostError } from '../model/host-error.js';
import { type ImageReference, imageReferenceText, parseImageReference } from '../model/image-reference.js';
import type { KillSubject } from '../model/kill-target.js';
import type { Package } from '../model/package.js';
import type { NetworkHost } from '../model/permissions.js';
import type { Program } from '../model/program.js';
import { shellQuote } from '../model/shell-quote.js';
import type { Containers } from '../sandbox/container/containers.js';
import { noEngine, noEngineHint } from '../sandbox/container/engine.js';
import { configuresEngine } from '../sandbox/container/engine-variables.js';
import type { ProbeResult } from '../sandbox/sandbox.js';
import type { CheckedPackage, PackageStatus } from './checked-package.js';
import type { InstallOptions, InstallStep } from './host.js';
import type { ProfileInputs } from './profile-inputs.js';
import type { NeedCheck } from './program-needs.js';
import type { SessionServices } from './session-services.js';

/** What a program in a container image needs, or why it cannot run here. Starts nothing. */
export function imageNeed(pkg: Package, { name }: Program, image: string, { engine }: Containers): NeedCheck {
  const missing = (reason: string): NeedCheck => ({ kind: 'missing', reason });
  const reference = parseImageReference(image);
  if (reference === undefined) {
    const command = `podman image inspect --format '{{index .RepoDigests 0}}' ${shellQuote(image)}`;
    return missing(
      `its image ${image} has no digest, so it can change at any time; add "@sha256:…", as shown by: ${command}`,
    );
  }
  const steering = pkg.slots.flatMap(({ delivery }) =>
    delivery.kind === 'environment' && configuresEngine(delivery.variable) ? [delivery.variable] : [],
  );
  if (steering.length > 0)
    return missing(`it sets ${steering.join(', ')}, which controls the container engine`);
  if (engine === undefined)
    return missing(`its program ${name} runs in a container, and ${noEngine}; ${noEngineHint}`);
  return { kind: 'ready', need: { program: name, interpreter: null, packages: null, image: reference } };
}

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
  { sandbox, containers }: Pick<SessionServices, 'sandbox' | 'containers'>,
): Promise<ProbeResult> {
  return needs.every((it) => it.image !== undefined) ? containers.probe() : sandbox.probe();
}

/** Which image registries the operator grants and denies for a package. */
export interface RegistryAccess {
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
  readonly noNetwork: boolean;
}

export function registryAccess({ grant, denial }: ProfileInputs): RegistryAccess {
  return { granted: grant.network, denied: denial.network, noNetwork: denial.noNetwork };
}

/** Fetches an image by its digest if it is missing, and writes that to the audit log. */
export async function installImage(
  image: ImageReference,
  { principal, package: id }: KillSubject,
  { containers, agreements, ...reach }: Pick<SessionServices, 'containers' | 'agreements'> & RegistryAccess,
  { signal, onStep, dryRun = false }: InstallOptions & { readonly signal: AbortSignal },
): Promise<InstallStep> {
  const name = 'container image';
  const detail = imageReferenceText(image);
  if (await containers.has(image)) return { name, status: 'already installed', detail };
  const insecure = assertReachable(image, reach);
  if (dryRun) return { name, status: 'needed', detail };
  onStep?.(`fetch the image ${detail}`);
  await agreements.audit.append({
    kind: 'operator',
    body: { operation: 'fetch image', package: id ?? '', image: detail, by: principal },
  });
  await containers.pull(image, { signal, insecure });
  return { name, status: 'done', detail };
}

/**
 * Returns whether the registry is on this machine, which means that it has no TLS. The engine itself fetches, over the
 * operator's network. So only names can be checked here: denied hosts, and loopback without a grant.
 */
function assertReachable(image: ImageReference, { granted, denied, noNetwork }: RegistryAccess): boolean {
  const { registry } = image;
  const networkDenied = (why: string, hint: string) =>
    new HostError('network_denied', `${imageReferenceText(image)} was not fetched: ${why}`, { hint });
  if (noNetwork)
    throw networkDenied(
      'the configuration denies this package all network access',
      'see "deny" in the configuration',
    );
  if (registry === null) return false;
  const [host = '', port] = registry.split(/:(?=\d+$)/);
  const matches = (it: NetworkHost) =>
    it.host.toLowerCase() === host.toLowerCase() && (it.port === null || it.port === Number(port ?? 443));
  const isSubdomain = (it: NetworkHost) => host.toLowerCase().endsWith(`.${it.host.toLowerCase()}`);
  if (denied.some((it) => it.host === '*' || isSubdomain(it) || matches(it)))
    throw networkDenied(`the configuration denies ${registry}`, 'see "deny" in the configuration');
  if (!/^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/i.test(host)) return false;
  if (!granted.some(matches))
    throw networkDenied(
      `${registry} is on this machine, which needs a grant`,
      `grant it: --allow net:${registry}`,
    );
  return true;
}
