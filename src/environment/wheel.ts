import { HostError } from '../model/host-error.js';

/** One wheel of a lock, with the hash of its content. */
export interface LockedWheel {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
}

/** The content of a Python environment; its digest is the name of the environment. */
export interface WheelLock {
  readonly language: 'python';
  /** Such as `3.11`. */
  readonly python: string;
  readonly platform: string;
  /** Sorted by name. */
  readonly wheels: readonly LockedWheel[];
}

const fileName =
  /^([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-([A-Za-z0-9._+!]+)(?:-\d[A-Za-z0-9._]*)?-[A-Za-z0-9._]+-[A-Za-z0-9._]+-[A-Za-z0-9._]+\.whl$/;

/** Python package names are equal if they differ only in case and separators. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** Name and version from the file name of a wheel; undefined if it is not a wheel. */
export function readWheelName(file: string): { readonly name: string; readonly version: string } | undefined {
  const match = fileName.exec(file);
  return match === null
    ? undefined
    : { name: normalizedName(match[1] as string), version: match[2] as string };
}

/** Accepts only exact versions, so that no requirement can be an option or a URL for the installer. */
export function checkRequirements(requirements: readonly string[]): void {
  for (const it of requirements) {
    if (
      /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?==\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?$/.test(
        it,
      )
    )
      continue;
    throw new HostError(
      'invalid_manifest',
      `${JSON.stringify(it)} is not an exact version of a Python package`,
      {
        hint: 'write name==version, such as requests==2.32.3',
      },
    );
  }
}

/** Requirements for pip, each with its hash. */
export function hashedRequirements(lock: WheelLock): string {
  return lock.wheels.map((it) => `${it.name}==${it.version} --hash=sha256:${it.sha256}\n`).join('');
}

/** Reads a stored lock; undefined if it is not valid. */
export function readWheelLock(value: unknown): WheelLock | undefined {
  const lock = value as Partial<WheelLock> | null;
  if (lock === null || typeof lock !== 'object' || lock.language !== 'python') return undefined;
  if (typeof lock.python !== 'string' || typeof lock.platform !== 'string') return undefined;
  if (!Array.isArray(lock.wheels)) return undefined;
  const isValid = lock.wheels.every(
    (it) =>
      readWheelName(it?.file)?.name === it?.name &&
      readWheelName(it?.file)?.version === it?.version &&
      /^[0-9a-f]{64}$/.test(it?.sha256),
  );
  return isValid ? (lock as WheelLock) : undefined;
}
