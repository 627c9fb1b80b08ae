// Which certificate authorities are trusted for TLS, with those that the operator adds.
import tls, { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

const maxContexts = 16;

/** The certificates that are trusted without any setting. */
function defaultCertificates(): readonly string[] {
  // Newer versions of Node also know those that the environment of the host adds.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  return getCACertificates?.('default') ?? rootCertificates;
}

/** The usual certificates with the additional ones, in PEM. */
export function allCertificates(extra: string): readonly string[] {
  return [...defaultCertificates(), extra];
}

/** Contexts are expensive to make, and there are only a few different ones. */
export class TrustContexts {
  readonly #known = new Map<string, SecureContext>();

  /** For connections that also trust these certificates; undefined if there are none. */
  get(extra: string | undefined): SecureContext | undefined {
    if (extra === undefined) return undefined;
    const known = this.#known.get(extra);
    if (known !== undefined) return known;
    if (this.#known.size >= maxContexts) this.#known.clear();
    const made = createSecureContext({ ca: [...allCertificates(extra)] });
    this.#known.set(extra, made);
    return made;
  }
}
