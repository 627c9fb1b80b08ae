// A private certificate authority and a server certificate for 127.0.0.1, made by openssl for one test run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LoopbackTls {
  /** PEM text of the authority. */
  readonly ca: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

export function loopbackTls(): LoopbackTls {
  const folder = mkdtempSync(join(tmpdir(), 'loopback-tls-'));
  const openssl = (...args: string[]) =>
    execFileSync('/usr/bin/openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
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
      '/CN=Test authority',
    );
    openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
    writeFileSync(
      join(folder, 'names'),
      'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n',
    );
    openssl(
      'x509',
      '-req',
      '-in',
      'server.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      'names',
      '-out',
      'server.pem',
    );
    return {
      ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
      key: readFileSync(join(folder, 'server.key')),
      cert: readFileSync(join(folder, 'server.pem')),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
