import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fixture,
  mutant,
  parseText,
  parseValue,
  validManifest,
} from '../../../test/support/toolspace-sample.js';
import type { Json, JsonObject } from '../../model/json.js';
import { claimToolspace } from './claim.js';

function claims(path: string, content: Json | string): boolean {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return claimToolspace({ path, text: () => text }) !== null;
}

describe('claim', () => {
  test.each<[string, string, Json | string]>([
    ['its own file name with any content', 'x/toolspace.json', 'not even JSON'],
    ['a manifest with another file name', 'x/tool.json', { manifest_version: '0.2', tool: {} }],
    ['a manifest of another version', 'x/tool.json', { manifest_version: '0.1', runtime: {} }],
    ['a version written as a number', 'x/tool.json', { manifest_version: 0.2, smoke: {} }],
    ['a manifest with only a kill switch', 'x/tool.json', { manifest_version: '0.3', kill_switch: {} }],
    ['a broken manifest', 'x/tool.json', '{"manifest_version": "0.2", "tool": {}, "runtime": {},}'],
    [
      'a manifest with a foreign field',
      'x/tool.json',
      { manifest_version: '0.2', kill_switch: {}, server: {} },
    ],
  ])('%s is claimed', (_, path, content) => {
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
      'a browser extension with a Toolspace field',
      'x/manifest.json',
      { manifest_version: 2, permissions: [], runtime: {} },
    ],
    ['an MCP bundle', 'x/manifest.json', { manifest_version: '0.2', name: 'b', server: {}, tools: [] }],
    ['an MCP bundle with a runtime', 'x/manifest.json', { manifest_version: '0.3', server: {}, runtime: {} }],
    ['a Talos package', 'x/manifest.json', { manifest_version: '1', id: 't', functions: [], runtime: {} }],
    ['a FindAgent manifest', 'x/findagent.json', { manifest_version: '1', system_prompt: 'x', tool: {} }],
    ['a package file', 'x/package.json', { name: 'x', tool: {}, runtime: {} }],
    ['a list', 'x/list.json', [{ manifest_version: '0.2', tool: {} }]],
    ['another kind of file', 'x/tool.yaml', { manifest_version: '0.2', tool: {} }],
    ['a file name that only ends with toolspace.json', 'x/my-toolspace.json', {}],
    ['invalid JSON with only one Toolspace field name', 'x/tool.json', '{"manifest_version": 2, "tool": }'],
  ])('%s is not claimed', (_, path, content) => {
    expect(claims(path, content)).toBe(false);
  });

  test('the bundle is the folder of the file', () => {
    expect(claimToolspace({ path: 'a/toolspace.json', text: () => '' })).toEqual({
      scope: 'folder',
      levelsUp: 0,
    });
  });
});

describe('an unsupported manifest_version', () => {
  test.each<Json>(['0.1', '0.3', '1.0', '2.0.0', '', 0.1, 0.2, 1, true, null, [], {}])(
    '%j is the only diagnostic',
    (version) => {
      const manifest = { ...fixture('several-mistakes'), manifest_version: version, tool: 'none' };
      const { diagnostics } = parseValue(manifest);
      expect(diagnostics).toHaveLength(1);
      expect(diagnostics[0]).toMatchObject({ code: 'schema.const', pointer: '/manifest_version' });
      expect(diagnostics[0]?.message).toContain('supports "0.2"');
    },
  );
});

test('a misspelled kind gives one message with a suggestion', () => {
  const { diagnostics } = parseValue(fixture('smoke-kind-typo'));
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]?.message).toBe('unknown smoke.kind "shel"; did you mean "shell"?');
  expect(diagnostics[0]?.hint).toBe('use one of shell, http, mcp-tool-call, action-call');
});

describe('parse is checkParse and never throws', () => {
  const checkParse = (content: string | Uint8Array) => {
    const first = parseText(content);
    expect(parseText(content)).toEqual(first);
    expect(first.package !== undefined).toBe(first.diagnostics.every((it) => it.severity !== 'error'));
    if (first.package !== undefined) expect(isFrozen(first.package)).toBe(true);
    for (const { range, message } of first.diagnostics) {
      expect(range.line).toBeGreaterThan(0);
      expect(message).not.toMatch(/undefined|\[object/);
    }
  };

  test('for random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), checkParse));
  });

  test('for random JSON', () => {
    fc.assert(fc.property(fc.json(), checkParse));
  });

  test('for changed valid manifests', () => {
    fc.assert(
      fc.property(mutant, (it) => checkParse(JSON.stringify(it))),
      { numRuns: 2000 },
    );
  });

  test('for truncated manifests', () => {
    const cut = fc.tuple(validManifest, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(cut, ([manifest, share]) => {
        const text = JSON.stringify(manifest, null, 1);
        checkParse(text.slice(0, Math.floor(text.length * share)));
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
