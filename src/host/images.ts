import { asHostError, HostError } from '../model/host-error.js';
import { type ImageReference, imageText, parseImage } from '../model/image.js';
import type { KillSubject } from '../model/kill.js';
import type { Package } from '../model/package.js';
import type { NetworkHost } from '../model/permissions.js';
import type { Program } from '../model/program.js';
import { shellWord } from '../model/shell-word.js';
import type { Containers } from '../sandbox/container/containers.js';
import { noEngine, noEngineHint } from '../sandbox/container/engine.js';
import { steersEngine } from '../sandbox/container/variables.js';
import type { Verdict } from '../sandbox/sandbox.js';
import type { ChangeStep, InstallOptions } from './host.js';
import type { Judged, PackageStatus } from './readiness.js';
import type { Need } from './runtimes.js';
import type { ProfileInputs } from './sandbox-profile.js';
import type { SessionServices } from './session-services.js';

/** What a program that comes as an image needs, or why it cannot run here. Starts nothing. */
export function imageNeed(of: Package, { name }: Program, image: string, { engine }: Containers): Need {
  const missing = (reason: string): Need => ({ kind: 'missing', reason });
  const reference = parseImage(image);
  if (reference === undefined) {
    const command = `podman image inspect --format '{{index .RepoDigests 0}}' ${shellWord(image)}`;
    return missing(
      `its image ${image} has no digest, so it can mean another one tomorrow; write it with "@sha256:…", as this says: ${command}`,
    );
  }
  const steering = of.slots.flatMap(({ delivery }) =>
    delivery.kind === 'environment' && steersEngine(delivery.variable) ? [delivery.variable] : [],
  );
  if (steering.length > 0)
    return missing(`it wants to set ${steering.join(', ')}, which steers the container engine`);
  if (engine === undefined)
    return missing(`its program ${name} is a container, and ${noEngine}; ${noEngineHint}`);
  return { kind: 'ready', need: { program: name, interpreter: null, packages: null, image: reference } };
}

/** What stands between a package and its containers; undefined when nothing does. */
export async function imageStatus(
  { loaded, needs }: Pick<Judged, 'loaded' | 'needs'>,
  containers: Containers,
): Promise<PackageStatus | undefined> {
  const images = needs.flatMap((it) => it.image ?? []);
  if (images.length === 0) return undefined;
  try {
    for (const image of images) {
      if (await containers.has(image)) continue;
      const reason = `its image ${imageText(image)} is not here, and nothing is fetched at the time of a call. Fetch it: toolwharf install ${shellWord(loaded.file)}`;
      return { state: 'needs-setup', reasons: [reason] };
    }
    const verdict = await containers.probe();
    if (verdict.level !== 'unavailable') return undefined;
    const reasons = verdict.reasons.map((it) => `containers cannot be confined here: ${it}; ${verdict.hint}`);
    return { state: 'unavailable', reasons, code: 'sandbox_unavailable' };
  } catch (error) {
    const { message, hint, code } = asHostError(error);
    const reasons = [hint === undefined ? message : `${message}; ${hint}`];
    return { state: 'unavailable', reasons, code: code === 'runtime_missing' ? code : 'sandbox_unavailable' };
  }
}

/** What holds the programs of a package: the sandbox, or the engine where all of them come as images. */
export function verdictFor(
  { needs }: Pick<Judged, 'needs'>,
  { sandbox, containers }: Pick<SessionServices, 'sandbox' | 'containers'>,
): Promise<Verdict> {
  return needs.every((it) => it.image !== undefined) ? containers.probe() : sandbox.probe();
}

/** What an operator says about where images come from. */
export interface RegistryReach {
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
  readonly noNetwork: boolean;
}

export function registryReach({ grant, denial }: ProfileInputs): RegistryReach {
  return { granted: grant.network, denied: denial.network, noNetwork: denial.noNetwork };
}

/** Fetches an image by its digest, where it is not here yet, and puts that on record. */
export async function installImage(
  image: ImageReference,
  { principal, package: id }: KillSubject,
  { containers, agreements, ...reach }: Pick<SessionServices, 'containers' | 'agreements'> & RegistryReach,
  { signal, onStep, dryRun = false }: InstallOptions & { readonly signal: AbortSignal },
): Promise<ChangeStep> {
  const name = 'container image';
  const detail = imageText(image);
  if (await containers.has(image)) return { name, status: 'there already', detail };
  const plain = assertReachable(image, reach);
  if (dryRun) return { name, status: 'needed', detail };
  onStep?.(`fetch the image ${detail}`);
  await agreements.audit.append({
    kind: 'operator',
    body: { act: 'fetch image', package: id ?? '', image: detail, by: principal },
  });
  await containers.pull(image, { signal, plain });
  return { name, status: 'done', detail };
}

/**
 * Whether the registry is on this machine, where there is no TLS. The engine fetches over the operator's own network, so
 * only names can be judged here: what the operator ruled out, and loopback without a grant.
 */
function assertReachable(image: ImageReference, { granted, denied, noNetwork }: RegistryReach): boolean {
  const { registry } = image;
  const refuse = (why: string, hint: string) =>
    new HostError('network_denied', `${imageText(image)} is not fetched: ${why}`, { hint });
  if (noNetwork)
    throw refuse(
      'the configuration rules out all network for this package',
      'see "deny" in the configuration',
    );
  if (registry === null) return false;
  const [host = '', port] = registry.split(/:(?=\d+$)/);
  const fits = (it: NetworkHost) =>
    it.host.toLowerCase() === host.toLowerCase() && (it.port === null || it.port === Number(port ?? 443));
  const below = (it: NetworkHost) => host.toLowerCase().endsWith(`.${it.host.toLowerCase()}`);
  if (denied.some((it) => it.host === '*' || below(it) || fits(it)))
    throw refuse(`the configuration rules out ${registry}`, 'see "deny" in the configuration');
  if (!/^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0)$/i.test(host)) return false;
  if (!granted.some(fits))
    throw refuse(`${registry} is on this machine`, `grant it: --allow net:${registry}`);
  return true;
}
