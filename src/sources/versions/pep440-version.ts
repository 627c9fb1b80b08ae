/** A version of a Python package, by the rules of PEP 440. */
export interface Pep440Version {
  readonly text: string;
  readonly epoch: number;
  readonly release: readonly number[];
  readonly pre: readonly [letter: 'a' | 'b' | 'rc', number: number] | undefined;
  readonly post: number | undefined;
  readonly dev: number | undefined;
  /** Parts after `+`. Empty if there are none. */
  readonly local: readonly (string | number)[];
}

const pattern =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d+)?)?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d+)?)?(?:[-_.]?(dev)[-_.]?(\d+)?)?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;

const letters: Readonly<Record<string, 'a' | 'b' | 'rc'>> = {
  a: 'a',
  alpha: 'a',
  b: 'b',
  beta: 'b',
  c: 'rc',
  rc: 'rc',
  pre: 'rc',
  preview: 'rc',
};

/** Undefined if the text is not a version. Too long texts are not versions. */
export function parsePep440(text: string): Pep440Version | undefined {
  const trimmed = text.trim().toLowerCase();
  const match = trimmed.length > 128 ? null : pattern.exec(trimmed);
  if (match === null) return undefined;
  const [, epoch, release = '', letter, preNumber, bare, post, postNumber, dev, devNumber, local] = match;
  return {
    text: text.trim(),
    epoch: Number(epoch ?? 0),
    release: release.split('.').map(Number),
    pre: letter === undefined ? undefined : [letters[letter] as 'a', Number(preNumber ?? 0)],
    post: bare !== undefined ? Number(bare) : post === undefined ? undefined : Number(postNumber ?? 0),
    dev: dev === undefined ? undefined : Number(devNumber ?? 0),
    local: local === undefined ? [] : local.split(/[-_.]/).map((it) => (/^\d+$/.test(it) ? Number(it) : it)),
  };
}

export function isPrerelease(version: Pep440Version): boolean {
  return version.pre !== undefined || version.dev !== undefined;
}

/** Negative if a is older than b. `ignoreLocal`: without the part after `+`. */
export function comparePep440(a: Pep440Version, b: Pep440Version, ignoreLocal = false): number {
  return (
    a.epoch - b.epoch ||
    compareRelease(a.release, b.release) ||
    compareNumbers(preKey(a), preKey(b)) ||
    (a.post ?? -1) - (b.post ?? -1) ||
    compareNumbers([a.dev ?? Number.MAX_VALUE], [b.dev ?? Number.MAX_VALUE]) ||
    (ignoreLocal ? 0 : compareLocal(a.local, b.local))
  );
}

/** Missing numbers are zeros: 1.0 and 1.0.0 are equal. */
export function compareRelease(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A development version of a release comes before its alpha versions, the release itself after all of them. */
function preKey({ pre, post, dev }: Pep440Version): readonly number[] {
  if (pre === undefined) return [post === undefined && dev !== undefined ? -1 : 3, 0];
  return [['a', 'b', 'rc'].indexOf(pre[0]), pre[1]];
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (const [at, it] of a.entries()) {
    const other = b[at] as number;
    if (it !== other) return it < other ? -1 : 1;
  }
  return 0;
}

/** Numbers are newer than words, and a longer one is newer than its beginning. */
function compareLocal(a: Pep440Version['local'], b: Pep440Version['local']): number {
  for (const [at, it] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (it === other) continue;
    if (typeof it !== typeof other) return typeof it === 'number' ? 1 : -1;
    return it < other ? -1 : 1;
  }
  return a.length - b.length;
}
