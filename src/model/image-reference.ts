/** A container image that is identified by its digest. */
export interface ImageReference {
  /** Without a tag: the digest identifies the image. */
  readonly name: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** The registry that stores it. Null: the container engine's settings decide. */
  readonly registry: string | null;
}

// Anchored, and it never starts with "-", so the engine cannot take it for an option.
const referencePattern =
  /^([A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9][a-z0-9._-]*)*)(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?@(sha256:[a-f0-9]{64})$/;

/** Undefined when the text has no digest or is not an image reference. */
export function parseImageReference(image: string): ImageReference | undefined {
  const [, name, digest] = referencePattern.exec(image) ?? [];
  if (name === undefined || digest === undefined) return undefined;
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return { name, digest, registry: isHost ? first : null };
}

/** The reference in the form that container engines accept. */
export function imageReferenceText({ name, digest }: ImageReference): string {
  return `${name}@${digest}`;
}
