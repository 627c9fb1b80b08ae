// A lock can come from a file that others wrote. It may choose among what a manifest allows, and nothing else.
import { HostError } from '../../model/host-error.js';
import { parseImageReference } from '../../model/image-reference.js';
import type { LockedSource, Source } from '../../model/source.js';
import { isNpmRange, resolveNpmRange } from '../../sources/versions/npm-range.js';
import { resolvePep440 } from '../../sources/versions/pep440.js';

/** Throws `integrity` if the manifest does not allow the locked version. */
export function assertVersionFits(kind: 'npm' | 'pip', range: string, version: string): void {
  const fits =
    kind === 'pip'
      ? resolvePep440([version], range) === version
      : /^\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/.test(version) &&
        // A tag can mean every version.
        (!isNpmRange(range) || resolveNpmRange([version], range) === version);
  if (!fits) throw unfit(`the version ${version}`, `the manifest asks for ${range}`);
}

/** Throws `integrity` if the locked image is another one than the manifest names. */
export function assertImageFits(name: string, image: string): void {
  const [locked] = image.split('@');
  if (parseImageReference(image) === undefined || locked !== name)
    throw unfit(`the image ${image}`, `the manifest asks for ${name}`);
}

/** Throws `integrity` if the locked code comes from elsewhere than the manifest says. */
export function assertCodeFits(declared: Source, locked: LockedSource | undefined): void {
  if (locked !== undefined && !isLockOf(declared, locked))
    throw unfit(
      `code from ${JSON.stringify(locked)}`,
      `the manifest gets it from ${JSON.stringify(declared)}`,
    );
}

/** Whether a locked source is one that this source can mean. */
export function isLockOf(source: Source, locked: LockedSource): boolean {
  const members = locked as unknown as Readonly<Record<string, unknown>>;
  return (
    Object.entries(source).every(([key, value]) => value === undefined || members[key] === value) &&
    ('subfolder' in locked ? locked.subfolder : undefined) ===
      ('subfolder' in source ? source.subfolder : undefined)
  );
}

function unfit(what: string, why: string): HostError {
  return new HostError('integrity', `the lock has ${what}, but ${why}`);
}
