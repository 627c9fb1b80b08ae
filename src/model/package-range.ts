// Packages and images with their versions, as manifests and command lines write them.

/** A name with what comes after it, such as `@example/notes@^1` or `notes>=2`. Undefined if it is not a package. */
export interface NamedRange {
  readonly name: string;
  /** Undefined: any version. */
  readonly range?: string;
}

const npmSpec =
  /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([\^~<>=*xX\dA-Za-z][\^~<>=|*.+\dA-Za-z\s-]*))?$/i;
const pypiSpec =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*((?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*(?:\s*,\s*(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*)*)?$/;

export function npmRangeOf(text: string): NamedRange | undefined {
  return namedRange(npmSpec.exec(text));
}

export function pypiRangeOf(text: string): NamedRange | undefined {
  return namedRange(pypiSpec.exec(text));
}

function namedRange(match: RegExpExecArray | null): NamedRange | undefined {
  const [, name, range] = match ?? [];
  if (name === undefined) return undefined;
  return range === undefined ? { name } : { name, range };
}

/** An image with its registry, and with a tag or a digest. */
export const imagePattern =
  /^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[a-f0-9]{64})?$/;
