// Additional certificate authorities for programs inside a sandbox. Their TLS goes through the tunnel of the egress proxy,
// so they verify the server themselves.
import { posix } from 'node:path';
import type { Mount, Sandbox } from './sandbox.js';

/** Names of the files in the mounted folder. `engine` is the same as `extra`: container engines read only such names. */
export const certificateFiles = { extra: 'extra.pem', all: 'all.pem', engine: 'extra.crt' } as const;

export function certificateMount(folder: string): Mount {
  return { source: folder, target: '/toolwharf/certificates', writable: false };
}

/** Variables of common TLS clients. Node adds the file to its own list; the others use the file instead of theirs. */
export function certificateVariables(
  folder: string,
  sandbox: Pick<Sandbox, 'inside'>,
): Readonly<Record<string, string>> {
  const inside = sandbox.inside(certificateMount(folder));
  const all = posix.join(inside, certificateFiles.all);
  return {
    NODE_EXTRA_CA_CERTS: posix.join(inside, certificateFiles.extra),
    SSL_CERT_FILE: all,
    REQUESTS_CA_BUNDLE: all,
    CURL_CA_BUNDLE: all,
    PIP_CERT: all,
  };
}
