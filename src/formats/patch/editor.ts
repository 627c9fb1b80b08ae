import { canonicalJson, isObject, type JsonObject } from '../../model/json.js';
import { inexactNumber, inexactText } from '../../model/json-number.js';
import { SourceText } from '../document/source-text.js';
import { changesBetween } from '../document/value-changes.js';
import { parseYaml } from '../document/yaml.js';
import { editYaml } from '../document/yaml-edit.js';
import type { ManifestEditor, ReadManifest } from '../manifest-editor.js';
import { readManifestBlock } from './manifest-block.js';

/** The YAML in the comments at the top of a Python file. The code below it is not touched. */
export const patchEditor: ManifestEditor = {
  read: (text) => {
    const block = blockOf(text);
    return 'reason' in block ? block : block.read;
  },

  write(text, value) {
    const block = blockOf(text);
    if ('reason' in block) return block;
    if (!block.read.ok) return block.read;
    const changes = changesBetween(block.read.value, value);
    if (changes.length === 0) return { ok: true, text };
    const now = withYaml(text, editYaml(block.yaml, changes));
    const after = patchEditor.read(now);
    return after.ok && canonicalJson(after.value) === canonicalJson(value)
      ? { ok: true, text: now }
      : { ok: false, reason: 'this change cannot be written in its place; make it in the source' };
  },
};

type Block = { readonly yaml: string; readonly read: ReadManifest };

function blockOf(text: string): Block | { readonly ok: false; readonly reason: string } {
  const source = new SourceText(text);
  const block = readManifestBlock(source);
  if ('code' in block) return { ok: false, reason: block.message };
  return { yaml: block.yaml, read: readYaml(block.yaml) };
}

function readYaml(yaml: string): ReadManifest {
  const { value, problems } = parseYaml(yaml, () => ({ line: 1, column: 1, endLine: 1, endColumn: 1 }));
  const [problem] = problems;
  if (value === undefined || problem !== undefined)
    return { ok: false, reason: problem?.message ?? 'it is not YAML' };
  const inexact = inexactNumber(JSON.stringify(value));
  if (inexact !== undefined) return { ok: false, reason: `it ${inexactText(inexact)}` };
  return isObject(value)
    ? { ok: true, value: value as JsonObject }
    : { ok: false, reason: 'it is not a map' };
}

function withYaml(text: string, yaml: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split('\n');
  const [open = 0, close = 0] = lines.flatMap((line, index) => (line.trim() === '# ---' ? [index] : []));
  const comments = yaml
    .replace(/\n$/, '')
    .split('\n')
    .map((it) => (it === '' ? '#' : `# ${it}`) + (eol === '\r\n' ? '\r' : ''));
  return [...lines.slice(0, open + 1), ...comments, ...lines.slice(close)].join('\n');
}
