import { HostError } from '../model/host-error.js';

/** One wheel of a lock: what it is, and the only bytes it may have. */
export interface LockedWheel {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
}

/** What an environment consists of; its digest names the environment. */
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

/** Names of Python packages are the same whatever their case and separators. */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** Reads the name and version off a wheel's file name; undefined for anything else. */
export function readWheelName(file: string): { readonly name: string; readonly version: string } | undefined {
  const match = fileName.exec(file);
  return match === null ? undefined : { name: normalName(match[1] as string), version: match[2] as string };
}

/** Only exact versions, and nothing that an installer could take for an option or an address. */
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
      `${JSON.stringify(it)} does not name one version of a Python package`,
      {
        hint: 'write name==version, such as requests==2.32.3',
      },
    );
  }
}

/** Requirements for the installer, each with its only hash. */
export function hashedRequirements(lock: WheelLock): string {
  return lock.wheels.map((it) => `${it.name}==${it.version} --hash=sha256:${it.sha256}\n`).join('');
}

/** A lock as it was stored; undefined when it is not one. */
export function readLock(value: unknown): WheelLock | undefined {
  const lock = value as Partial<WheelLock> | null;
  if (lock === null || typeof lock !== 'object' || lock.language !== 'python') return undefined;
  if (typeof lock.python !== 'string' || typeof lock.platform !== 'string') return undefined;
  if (!Array.isArray(lock.wheels)) return undefined;
  const sound = lock.wheels.every(
    (it) =>
      readWheelName(it?.file)?.name === it?.name &&
      readWheelName(it?.file)?.version === it?.version &&
      /^[0-9a-f]{64}$/.test(it?.sha256),
  );
  return sound ? (lock as WheelLock) : undefined;
}
