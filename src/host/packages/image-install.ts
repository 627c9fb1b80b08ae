import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import { type ImageReference, imageReferenceText } from '../../model/image-reference.js';
import type { KillSubject } from '../../model/kill-target.js';
import type { NetworkHost } from '../../model/permissions.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { InstallOptions, InstallStep } from './package-change.js';

/** Which image registries the operator grants and denies for a package. */
export interface RegistryAccess {
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
  readonly noNetwork: boolean;
  /** Folder with certificates of more authorities that the operator trusts. */
  readonly certificates?: string | undefined;
}

export interface ImageInstallServices {
  readonly containers: Containers;
  readonly audit: AuditLog;
}

/** Fetches an image by its digest if it is missing, and writes that to the audit log. */
export async function installImage(
  image: ImageReference,
  { principal, package: id }: KillSubject,
  { containers, audit, ...reach }: ImageInstallServices & RegistryAccess,
  { signal, onStep, dryRun = false }: InstallOptions & { readonly signal: AbortSignal },
): Promise<InstallStep> {
  const name = 'container image';
  const detail = imageReferenceText(image);
  if (await containers.has(image)) return { name, status: 'already installed', detail };
  const insecure = assertReachable(image, reach);
  if (dryRun) return { name, status: 'needed', detail };
  onStep?.(`fetch the image ${detail}`);
  await audit.append({
    kind: 'operator',
    body: { operation: 'fetch image', package: id ?? '', image: detail, by: principal },
  });
  await containers.pull(image, { signal, insecure, certificates: reach.certificates });
  return { name, status: 'done', detail };
}

/**
 * Returns whether the registry is on this machine, where it needs no TLS. The engine itself fetches, over the
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
  if (!isLoopbackHost(host.toLowerCase()) && host !== '0.0.0.0') return false;
  if (!granted.some(matches))
    throw networkDenied(
      `${registry} is on this machine, which needs a grant`,
      `grant it: --allow net:${registry}`,
    );
  return true;
}
