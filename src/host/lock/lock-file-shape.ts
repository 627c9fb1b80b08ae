// The shape of a lock file. Members that are not known are rejected: they would be lost when it is written again.
import { lockFileSchema } from '../../model/lock-file.js';
import {
  arrayOf,
  exactly,
  jsonObject,
  object,
  optional,
  type Shape,
  simple,
  union,
} from '../operations/shape.js';

/** Text of one line, as long as an address or a grant can be. */
const line = matching(/^[^\u0000-\u001f\u007f]{1,2000}$/, 'a text of one line');
const digest = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');
const version = matching(/^[A-Za-z0-9][A-Za-z0-9.+!_-]{0,99}$/, 'a version');
/** Below the root of the project or of the tree. */
const path = matching(
  /^(?!\.{1,2}(?:\/|$))[^/\\\u0000-\u001f\u007f]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\\u0000-\u001f\u007f]+)*$/,
  'a path below the root, without ".."',
);

const source = union(
  [
    object({ kind: exactly('folder'), path }),
    object({ kind: exactly('server'), manifest: line }),
    object({ kind: exactly('file'), path }),
    object({ kind: exactly('archive'), path, sha256: digest }),
    object({ kind: exactly('https'), url: matching(/^https:\/\/[^\s@]+$/, 'an address'), sha256: digest }),
    object({
      kind: exactly('git'),
      url: matching(/^https:\/\/[^\s@]+$/, 'an address'),
      revision: line,
      subfolder: optional(path),
      commit: matching(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'a commit'),
    }),
    object({ kind: exactly('npm'), name: line, range: line, version, integrity: line }),
    object({ kind: exactly('pypi'), name: line, range: anyLine(), version, file: path, sha256: digest }),
    object({ kind: exactly('registry'), name: line, range: line, version, sha256: digest }),
    object({
      kind: exactly('oci'),
      image: line,
      reference: line,
      digest: matching(/^sha256:[0-9a-f]{64}$/, 'a digest'),
    }),
  ],
  'a locked source',
);

const lockedPackage = object({
  id: line,
  version: line,
  source: line,
  locked: source,
  tree: digest,
  manifest: path,
  digest,
  requires: arrayOf(line),
  grants: arrayOf(line),
  lock: object({
    version: optional(version),
    image: optional(line),
    code: optional(source),
    runtimes: optional(object({ python: optional(version), node: optional(version) })),
  }),
  environments: arrayOf(object({ requirements: arrayOf(line), lock: jsonObject() })),
});

/** The whole file, with the member that names its schema. */
export const lockFileShape = object({
  schema: exactly(lockFileSchema),
  packages: arrayOf(lockedPackage),
});

function matching(pattern: RegExp, what: string): Shape<string> {
  const schema = { type: 'string', pattern: pattern.source };
  return simple(schema, what, (it) => typeof it === 'string' && pattern.test(it));
}

function anyLine(): Shape<string> {
  return matching(/^[^\u0000-\u001f\u007f]{0,2000}$/, 'a text of one line');
}
