import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../model/json.js';
import { builtInFormats } from '../built-in-formats.js';
import type { ManifestEditor } from '../manifest-editor.js';
import { patchEditor } from '../patch/editor.js';
import { jsonEditor } from './json-editor.js';
import { tomlEditor } from './toml-editor.js';

function written(editor: ManifestEditor, text: string, value: JsonObject): string {
  const done = editor.write(text, value);
  if (!done.ok) throw new Error(done.reason);
  return done.text;
}

function readValue(editor: ManifestEditor, text: string): JsonObject {
  const read = editor.read(text);
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

const tool = `#!/usr/bin/env python3
# ---
# name: count # the id
# version: "1.0.0"
#
# # What it takes:
# inputs:
#   - name: text
#     type: string
# runtime: {language: python, packages: []}
# ---
import sys
# name: not this
`;

describe('changing a manifest in its text', () => {
  test.each(builtInFormats)('the starter of $name stays the same if nothing changes', async (format) => {
    const editor = await format.loadEditor();
    const files = (await format.loadStarter())('word-tools', 'word-tools', {});
    const text = files.find(({ path, text }) => format.claim({ path, text: () => text }) !== null)?.text;
    if (text === undefined) throw new Error('no manifest');
    const value = readValue(editor, text);
    expect(written(editor, text, value)).toBe(text);
    const key = 'description' in value ? 'description' : 'plugin';
    const member = value[key];
    const changed = {
      ...value,
      [key]: isObject(member) ? { ...member, description: 'New: "quoted" # text' } : 'New: "quoted" # text',
    };
    const after = written(editor, text, changed);
    expect(readValue(editor, after)).toEqual(changed);
    const lines = new Set(text.split('\n'));
    expect(after.split('\n').filter((it) => !lines.has(it))).toHaveLength(1);
  });

  test('a Patch manifest keeps its comments, its order and the code', () => {
    const value = readValue(patchEditor, tool);
    const after = written(patchEditor, tool, {
      ...value,
      version: '2.0.0',
      runtime: { language: 'python', packages: ['requests==2.32.3'] },
      description: 'Counts.',
    });
    expect(after).toBe(
      tool
        .replace('"1.0.0"', '"2.0.0"')
        .replace('packages: []}', 'packages: [requests==2.32.3]}\n# description: Counts.'),
    );
  });

  test('JSON keeps its layout and its indentation', () => {
    const text = '{\n\t"a": [1, 2],\n\t"b": {"c": "x"}\n}\n';
    expect(written(jsonEditor, text, { a: [1, 2], b: { c: 'y' } })).toBe(text.replace('"x"', '"y"'));
    expect(readValue(jsonEditor, written(jsonEditor, text, { a: [1, 2] }))).toEqual({ a: [1, 2] });
  });

  test('TOML with comments is only changed where nothing else has to move', () => {
    const text = '# mine\n[plugin]\nid = "a" # the id\n';
    expect(written(tomlEditor, text, { plugin: { id: 'b' } })).toBe(text.replace('"a"', '"b"'));
    const servers = { plugin: { id: 'a' }, list: [{ x: 1 }] };
    expect(tomlEditor.write(text, servers)).toMatchObject({ ok: false });
    expect(readValue(tomlEditor, written(tomlEditor, '[plugin]\nid = "a"\n', servers))).toEqual(servers);
  });

  test.each([
    ['JSON', jsonEditor, '{"a": 12345678901234567890}'],
    ['JSON', jsonEditor, '{"a": 1,}'],
    ['TOML', tomlEditor, 'a = 12345678901234567890'],
    ['a Patch file', patchEditor, 'print("no manifest")'],
    ['a Patch file', patchEditor, '# ---\n# a: &x 1\n# b: *x\n# ---\n'],
  ])('%s that a form cannot show exactly is not changed', (_, editor, text) => {
    expect(editor.read(text)).toMatchObject({ ok: false });
    expect(editor.write(text, { a: 1 })).toMatchObject({ ok: false });
  });
});
