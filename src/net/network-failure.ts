import { HostError } from '../model/host-error.js';
import type { Destination } from './destination.js';
import { isTransientCode } from './transient-failure.js';

/** Codes of Node for a certificate whose issuer is not trusted. */
const untrusted: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);
const untrustedHint =
  'its certificate has an unknown issuer; if it is your own, name the file with its certificate: --ca-file FILE, or net.ca_file in your configuration';

/** The error of a request that failed on its way. */
export function networkFailure(error: unknown, destination: Destination): unknown {
  if (error instanceof HostError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
  return new HostError(
    'network_failed',
    `the request to ${destination.host}:${destination.port} failed (${code})`,
    {
      cause: error,
      ...(isTransientCode(code) ? { transient: {} } : {}),
      ...(untrusted.has(code) ? { hint: untrustedHint } : {}),
    },
  );
}
