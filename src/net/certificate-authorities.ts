import { rootCertificates } from 'node:tls';

/** The public certificate authorities, and the private ones of the operator as PEM text. */
export function certificateAuthorities(ca: string | undefined): readonly string[] {
  return ca === undefined ? rootCertificates : [...rootCertificates, ca];
}
