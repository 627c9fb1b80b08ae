import { memoryBundle } from '../../bundle/memory-bundle.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { inspect } from '../../formats/inspect.js';
import type { ManifestEditor } from '../../formats/manifest-editor.js';
import type { StarterFile } from '../../formats/starter.js';
import type { ParseOptions } from '../../model/format.js';
import { HostError } from '../../model/host-error.js';
import type { Manifests } from './manifests.js';

const maxFiles = 200;
/** Characters of a manifest. */
const maxText = 1024 * 1024;
const namePattern = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export interface ManifestServices {
  readonly formats: readonly FormatDescriptor[];
  readonly parse: ParseOptions;
  /** The Python that a new tool may rely on, such as `3.11`. Undefined if there is none. */
  readonly python: () => string | undefined;
}

export function manifestOperations({ formats, parse, python }: ManifestServices): Manifests {
  const formatNamed = (name: string): FormatDescriptor => {
    const found = formats.find((it) => it.name === name);
    if (found !== undefined) return found;
    throw new HostError('usage', `unknown format ${JSON.stringify(name.slice(0, 80))}`, {
      hint: `use one of ${formats.map((it) => it.name).join(', ')}`,
    });
  };
  const editorOf = async (name: string, text: string): Promise<ManifestEditor | string> => {
    const { loadEditor } = formatNamed(name);
    if (text.length > maxText) return 'it is too large for a form';
    return (await loadEditor?.()) ?? `manifests of ${name} can only be changed as text`;
  };
  return {
    formats: () =>
      Promise.all(formats.map(async (it) => ({ name: it.name, schema: (await it.load()).schema }))),
    async start(name, packageName) {
      const format = formatNamed(name);
      if (packageName.length > 64 || !namePattern.test(packageName))
        throw new HostError('usage', `${JSON.stringify(packageName.slice(0, 80))} cannot be used as a name`, {
          hint: 'use lower-case letters, digits and hyphens, such as word-tools',
        });
      const starter = await format.loadStarter();
      const files = starter(packageName, packageName, { python: python() });
      return { format: name, manifest: manifestOf(format, files), files };
    },
    async check({ format, manifest, files }) {
      const parser = await formatNamed(format).load();
      if (files.length > maxFiles)
        throw new HostError(
          'usage',
          `a draft has at most ${maxFiles} files, and this one has ${files.length}`,
        );
      const texts = Object.fromEntries(files.map((it) => [it.path, it.text]));
      // A draft has no folder yet, so nothing is said about the name of one.
      const { package: pkg, diagnostics } = inspect(parser, memoryBundle(texts, manifest, ''), parse);
      return { diagnostics, package: pkg ?? null };
    },
    async read(format, text) {
      const editor = await editorOf(format, text);
      if (typeof editor === 'string') return { value: null, reason: editor };
      const found = editor.read(text);
      return found.ok ? { value: found.value, reason: null } : { value: null, reason: found.reason };
    },
    async write(format, text, value) {
      const editor = await editorOf(format, text);
      if (typeof editor === 'string') return { text: null, reason: editor };
      const written = editor.write(text, value);
      return written.ok ? { text: written.text, reason: null } : { text: null, reason: written.reason };
    },
  };
}

/** The file that the format itself takes for its manifest. */
function manifestOf(format: FormatDescriptor, files: readonly StarterFile[]): string {
  const found = files.find(({ path, text }) => format.claim({ path, text: () => text }) !== null);
  if (found === undefined) throw new Error(`the starter of ${format.name} has no manifest`);
  return found.path;
}
