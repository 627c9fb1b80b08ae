// Certificate authorities that the operator trusts besides the usual ones.
import { X509Certificate } from 'node:crypto';
import { HostError } from '../model/host-error.js';

export interface CertificateAuthority {
  /** PEM of this one certificate. */
  readonly pem: string;
  /** Its subject in one line. */
  readonly subject: string;
  /** SHA-256 of the certificate, in hexadecimal digits. */
  readonly fingerprint: string;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;
const maxCertificates = 100;

/** Reads a PEM text. Throws `invalid_config` unless it has certificates and nothing secret. `name`: for the message. */
export function parseCertificates(pem: string, name: string): readonly CertificateAuthority[] {
  const invalid = (why: string, cause?: unknown) =>
    new HostError('invalid_config', `${name} ${why}`, {
      cause,
      hint: 'it must contain certificates in PEM form: -----BEGIN CERTIFICATE-----',
    });
  const blocks = [...pem.matchAll(block)];
  const other = blocks.find(([, kind]) => kind !== 'CERTIFICATE');
  // Sandboxed programs can read the file, so a key in it would be published.
  if (/PRIVATE KEY/.test(pem)) throw invalid('contains a private key; only certificates may be in it');
  if (other !== undefined) throw invalid(`contains ${other[1]?.toLowerCase()}, not only certificates`);
  if (blocks.length === 0) throw invalid('contains no certificate');
  if (blocks.length !== pem.split('-----BEGIN ').length - 1) throw invalid('has an incomplete certificate');
  if (blocks.length > maxCertificates) throw invalid(`contains more than ${maxCertificates} certificates`);
  return blocks.map(([text], index) => {
    try {
      const { subject, fingerprint256 } = new X509Certificate(text);
      const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
      return { pem: text, subject: subject.replaceAll('\n', ', '), fingerprint };
    } catch (error) {
      throw invalid(`has an invalid certificate (number ${index + 1})`, error);
    }
  });
}
