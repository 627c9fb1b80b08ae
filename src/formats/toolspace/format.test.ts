import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixture, mutant, parseText, parseValue, validManifest } from '../../../test/toolspace/sample.js';
import type { Json, JsonObject } from '../../model/json.js';
import { toolspace } from './format.js';

function claims(path: string, content: Json | string): boolean {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return toolspace.claim({ path, text: () => text }) !== null;
}

describe('claim', () => {
  test.each<[string, string, Json | string]>([
    ['its own name, whatever is in it', 'x/toolspace.json', 'not even JSON'],
    ['a manifest of another name', 'x/tool.json', { manifest_version: '0.2', tool: {} }],
    ['another version', 'x/tool.json', { manifest_version: '0.1', runtime: {} }],
    ['a version that is a number', 'x/tool.json', { manifest_version: 0.2, smoke: {} }],
    ['only a kill switch', 'x/tool.json', { manifest_version: '0.3', kill_switch: {} }],
    ['a broken manifest', 'x/tool.json', '{"manifest_version": "0.2", "tool": {}, "runtime": {},}'],
    [
      'a manifest with a foreign field',
      'x/tool.json',
      { manifest_version: '0.2', kill_switch: {}, server: {} },
    ],
  ])('%s', (_, path, content) => {
    expect(claims(path, content)).toBe(true);
  });

  test.each<[string, string, Json | string]>([
    ['a web app', 'x/manifest.json', { name: 'App', start_url: '/', icons: [] }],
    [
      'a browser extension',
      'x/manifest.json',
      { manifest_version: 3, name: 'E', background: {}, permissions: [] },
    ],
    [
      'an extension with a field of ours',
      'x/manifest.json',
      { manifest_version: 2, permissions: [], runtime: {} },
    ],
    ['an MCP bundle', 'x/manifest.json', { manifest_version: '0.2', name: 'b', server: {}, tools: [] }],
    ['an MCP bundle with a runtime', 'x/manifest.json', { manifest_version: '0.3', server: {}, runtime: {} }],
    ['a Talos folder', 'x/manifest.json', { manifest_version: '1', id: 't', functions: [], runtime: {} }],
    ['an agent', 'x/findagent.json', { manifest_version: '1', system_prompt: 'x', tool: {} }],
    ['a package file', 'x/package.json', { name: 'x', tool: {}, runtime: {} }],
    ['a list', 'x/list.json', [{ manifest_version: '0.2', tool: {} }]],
    ['another kind of file', 'x/tool.yaml', { manifest_version: '0.2', tool: {} }],
    ['a name that only ends alike', 'x/my-toolspace.json', {}],
    ['broken JSON with one of the words', 'x/tool.json', '{"manifest_version": 2, "tool": }'],
  ])('not %s', (_, path, content) => {
    expect(claims(path, content)).toBe(false);
  });

  test('the bundle is the folder of the file', () => {
    expect(toolspace.claim({ path: 'a/toolspace.json', text: () => '' })).toEqual({ scope: 'folder', up: 0 });
  });
});

describe('another version is one finding', () => {
  test.each<Json>(['0.1', '0.3', '1.0', '2.0.0', '', 0.1, 0.2, 1, true, null, [], {}])('%j', (version) => {
    const manifest = { ...fixture('several-mistakes'), manifest_version: version, tool: 'none' };
    const { diagnostics } = parseValue(manifest);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ code: 'schema.const', pointer: '/manifest_version' });
    expect(diagnostics[0]?.message).toContain('reads "0.2"');
  });
});

test('one mistake in a discriminator is one message with a suggestion', () => {
  const { diagnostics } = parseValue(fixture('smoke-kind-typo'));
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]?.message).toBe('unknown smoke.kind "shel"; did you mean "shell"?');
  expect(diagnostics[0]?.hint).toBe('use one of shell, http, mcp-tool-call, action-call');
});

describe('whatever the bytes', () => {
  const deterministic = (content: string | Uint8Array) => {
    const once = parseText(content);
    expect(parseText(content)).toEqual(once);
    expect(once.package !== undefined).toBe(once.diagnostics.every((it) => it.severity !== 'error'));
    if (once.package !== undefined) expect(isFrozen(once.package)).toBe(true);
    for (const { range, message } of once.diagnostics) {
      expect(range.line).toBeGreaterThan(0);
      expect(message).not.toMatch(/undefined|\[object/);
    }
  };

  test('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), deterministic));
  });

  test('random JSON', () => {
    fc.assert(fc.property(fc.json(), deterministic));
  });

  test('mutants of valid manifests', () => {
    fc.assert(
      fc.property(mutant, (it) => deterministic(JSON.stringify(it))),
      { numRuns: 2000 },
    );
  });

  test('cut off anywhere', () => {
    const cut = fc.tuple(validManifest, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(cut, ([manifest, share]) => {
        const text = JSON.stringify(manifest, null, 1);
        deterministic(text.slice(0, Math.floor(text.length * share)));
      }),
    );
  });

  test('every unknown field of a closed object is reported', () => {
    const closed = ['', 'tool', 'runtime', 'runtime.install', 'smoke', 'smoke.success', 'kill_switch'];
    const places = fc.tuple(validManifest, fc.constantFrom(...closed), fc.stringMatching(/^zz[a-z]{1,12}$/));
    fc.assert(
      fc.property(places, ([manifest, place, key]) => {
        const copy = structuredClone(manifest) as Record<string, unknown>;
        let target = copy;
        for (const step of place === '' ? [] : place.split('.')) target = target[step] as typeof target;
        target[key] = 1;
        const found = parseValue(copy as JsonObject).diagnostics.filter((it) => it.code === 'schema.closed');
        expect(found.map((it) => it.pointer)).toEqual([
          `/${[...place.split('.'), key].filter(Boolean).join('/')}`,
        ]);
      }),
    );
  });
});

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
