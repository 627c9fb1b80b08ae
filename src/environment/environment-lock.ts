import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../model/json.js';
import type { EnvironmentLock } from '../model/lock-file.js';
import { type NpmLock, readNpmLock, readNpmManifest } from './npm-lock.js';
import type { PackageNeed } from './package-need.js';
import { readWheelLock, type WheelLock } from './wheel.js';

type Lock = WheelLock | NpmLock;

/** The lock of a need, to be stored with a project. */
export function environmentLockOf(need: PackageNeed, lock: Lock): EnvironmentLock {
  return { requirements: requirementsOf(need), lock: lock as unknown as JsonObject };
}

/**
 * Which of these locks is for a need on this platform. Throws `integrity` if none is: then nobody has checked what would
 * be installed here.
 */
export function lockFor(need: PackageNeed, platform: string, locks: readonly EnvironmentLock[]): Lock {
  const own = locks.filter((it) => isFor(need, it));
  const here = placeText(need.language, need.interpreter.version, platform);
  for (const { lock } of own) {
    const read = readLock(need, lock);
    if (read !== undefined && lockPlace(read) === here) return read;
  }
  const known = own.map(({ lock }) => {
    const read = readLock(need, lock);
    return read === undefined ? 'one that is not valid' : lockPlace(read);
  });
  throw new HostError(
    'integrity',
    `its language packages are not locked for ${here}, only for ${known.join(', ') || 'no platform'}`,
    { hint: 'install it here from its source with --save; the other locks are kept' },
  );
}

function requirementsOf(need: PackageNeed): readonly string[] {
  return need.language === 'python' ? [...new Set(need.requirements)].sort() : [];
}

function isFor(need: PackageNeed, { requirements, lock }: EnvironmentLock): boolean {
  if (lock.language !== need.language) return false;
  if (canonicalJson([...requirements]) !== canonicalJson([...requirementsOf(need)])) return false;
  if (need.language === 'python') return true;
  const manifest = readNpmManifest(need.manifest, false) as JsonObject;
  return canonicalJson(lock.manifest ?? null) === canonicalJson(manifest);
}

/** The lock without members that are not known. */
function readLock(need: PackageNeed, value: JsonObject): Lock | undefined {
  if (need.language === 'python') {
    const lock = readWheelLock(value);
    if (lock === undefined) return undefined;
    const wheels = lock.wheels.map(({ name, version, file, sha256 }) => ({ name, version, file, sha256 }));
    return { language: 'python', python: lock.python, platform: lock.platform, wheels };
  }
  const { major, platform, lock } = value;
  if (typeof major !== 'number' || typeof platform !== 'string') return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify((lock ?? null) as Json));
  const manifest = readNpmManifest(need.manifest, false);
  const scripts = need.scripts === undefined ? {} : { scripts: [...need.scripts].sort() };
  return { language: 'node', major, platform, manifest, lock: readNpmLock(bytes), ...scripts };
}

function lockPlace(lock: Lock): string {
  return placeText(
    lock.language,
    lock.language === 'python' ? lock.python : String(lock.major),
    lock.platform,
  );
}

/** For Node the major version decides. */
function placeText(language: PackageNeed['language'], version: string, platform: string): string {
  return language === 'python'
    ? `Python ${version} on ${platform}`
    : `Node ${version.split('.')[0]} on ${platform}`;
}
