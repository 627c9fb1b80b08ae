import lt from 'semver/functions/lt.js';
import parse from 'semver/functions/parse.js';

/** The grammar of semver.org, as in the schema. */
export const versionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** False also for numbers that are too large to compare exactly. */
export function isVersion(text: string): boolean {
  return text.length <= 256 && versionPattern.test(text) && parse(text) !== null;
}

/** Both must be versions. */
export function isOlder(version: string, than: string): boolean {
  return lt(version, than);
}
