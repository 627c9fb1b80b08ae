// A certificate authority of the test's own, and an https server with a certificate of it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from './toolwharf.js';

export interface TestAuthority {
  /** PEM of the authority's certificate, and a file with it. */
  readonly pem: string;
  readonly file: string;
  /** Key and certificate of a server on this machine. */
  readonly server: { readonly key: string; readonly cert: string };
  remove(): void;
}

/** Makes an authority that signed a certificate for `localhost` and 127.0.0.1. */
export function testAuthority(name = 'Test Authority'): TestAuthority {
  const folder = temporaryFolder();
  const path = (it: string) => join(folder.path, it);
  const openssl = (...args: string[]) =>
    execFileSync('/usr/bin/openssl', args, { cwd: folder.path, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  );
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(path('san'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'san'];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem');
  const read = (it: string) => readFileSync(path(it), 'utf8');
  return {
    pem: read('ca.pem'),
    file: path('ca.pem'),
    server: { key: read('server.key'), cert: read('server.pem') },
    remove: folder.remove,
  };
}

export async function httpsServer(
  { server: identity }: TestAuthority,
  answer: RequestListener,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer(identity, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
