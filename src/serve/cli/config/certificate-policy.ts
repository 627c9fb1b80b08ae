import { parseCertificates } from '../../../files/certificate-authorities.js';
import type { SessionPolicy } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ConfigValue } from './config-keys.js';

/** Reads the file of net.ca_file. One that cannot be read or is not valid is an error: nothing runs without it. */
export function certificatePolicy(
  path: ConfigValue | undefined,
  terminal: Pick<Terminal, 'readFile'>,
): Pick<SessionPolicy, 'caCertificates'> {
  if (typeof path !== 'string') return {};
  const pem = terminal.readFile(path);
  if (pem === undefined)
    throw new HostError('invalid_config', `the file of net.ca_file cannot be read: ${path}`, {
      hint: 'check the path after --ca-file, or net.ca_file in your configuration',
    });
  parseCertificates(pem, path);
  return { caCertificates: pem };
}
