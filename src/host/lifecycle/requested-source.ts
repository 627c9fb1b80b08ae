import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { discover } from '../../bundle/discover.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { HostError } from '../../model/host-error.js';
import { parseSource } from '../../model/parse-source.js';
import type { Source } from '../../model/source.js';

/** A source, and the text that finds it again from any folder. */
export interface RequestedSource {
  readonly text: string;
  readonly source: Source;
}

/** Reads a source as a person wrote it. A manifest that is one file of a package stands for the whole package. */
export function requestedSource(
  text: string,
  root: string,
  sha256: string | undefined,
  formats: readonly FormatDescriptor[],
): RequestedSource {
  const source = sourceOf(text, root, sha256);
  const whole = source.kind === 'file' ? wholePackage(source.path, formats) : source;
  return { text: textOf(text, whole), source: whole };
}

/** The source that a text means. Relative paths start at `root`. */
export function sourceOf(text: string, root: string, sha256: string | undefined): Source {
  const parsed = parseSource(text, {
    lookUp: (path) => {
      const absolute = resolve(root, path);
      if (!existsSync(absolute)) return { kind: 'missing', path: absolute };
      return { kind: statSync(absolute).isDirectory() ? 'folder' : 'file', path: absolute };
    },
    sha256,
  });
  if ('problem' in parsed) throw new HostError('usage', parsed.problem, { hint: parsed.hint });
  return parsed;
}

function wholePackage(path: string, formats: readonly FormatDescriptor[]): Source {
  const { found } = discover([path], { cwd: dirname(path), formats });
  const [only] = found;
  if (only === undefined) return { kind: 'file', path };
  const { manifest } = only.bundle;
  const files = only.bundle.files();
  if (files.length <= 1) return { kind: 'file', path };
  return { kind: 'folder', path: manifest.includes('/') ? dirname(dirname(path)) : dirname(path) };
}

/** Paths are stored as absolute ones, so that an update works in any folder. */
function textOf(text: string, source: Source): string {
  return source.kind === 'folder' || source.kind === 'file' || source.kind === 'archive' ? source.path : text;
}
