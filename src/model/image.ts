/** A container image that always means the same bytes. */
export interface ImageReference {
  /** Without a tag: the digest says which one. */
  readonly name: string;
  /** `sha256:` and 64 digits. */
  readonly digest: string;
  /** Where it is fetched from; null leaves it to the engine's own settings. */
  readonly registry: string | null;
}

// Anchored, and never with a "-" in front: nothing of it can become an option of an engine.
const reference =
  /^([A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9][a-z0-9._-]*)*)(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?@(sha256:[a-f0-9]{64})$/;

/** Undefined when it names no digest, or is no reference at all. */
export function parseImage(image: string): ImageReference | undefined {
  const [, name, digest] = reference.exec(image) ?? [];
  if (name === undefined || digest === undefined) return undefined;
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return { name, digest, registry: isHost ? first : null };
}

/** As engines take it. */
export function imageText({ name, digest }: ImageReference): string {
  return `${name}@${digest}`;
}
