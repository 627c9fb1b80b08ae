import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import type { ParseOptions, ParseResult } from '../../model/format.js';
import { defaultParseOptions } from '../index.js';
import { claimNexo } from './claim.js';
import { nexo } from './format.js';
import { reservedIds } from './rules.js';
import schema from './schema.json' with { type: 'json' };
import { versionPattern } from './version.js';

const plain = `[plugin]
id = "tide-tables"
version = "0.3.1"

[capabilities]
tools = ["next_tide"]

[transport]
type = "stdio"
command = "./tides"
`;

function parse(
  text: string,
  files: Record<string, string> = {},
  options: Partial<ParseOptions> = {},
): ParseResult {
  const bundle = memoryBundle({ ...files, 'plugin.toml': text }, 'plugin.toml');
  return nexo.parse(bundle, { ...defaultParseOptions, ...options });
}

/** One line per diagnostic. */
function findings(result: ParseResult): string[] {
  return result.diagnostics.map((it) => `${it.file}:${it.range.line}:${it.range.column} ${it.code}`);
}

describe('claim', () => {
  test.each([
    ['plugin.toml', 'folder'],
    ['a/b/plugin.toml', 'folder'],
    ['rss.plugin.toml', 'file'],
    ['a/my-plugin.toml', undefined],
    ['Cargo.toml', undefined],
    ['plugin.toml/x', undefined],
  ])('the claim of %s has the scope %s', (path, scope) => {
    expect(claimNexo({ path, text: () => plain })?.scope).toBe(scope);
  });
});

describe('agent version and reserved ids of the host', () => {
  const requiring21 = plain.replace('version', 'min_agent_version = "2.1.0"\nversion');

  test.each([
    ['2.1.0', []],
    ['3.0.0', []],
    ['2.1.1-beta', []],
    ['2.1.0-beta', ['plugin.toml:3:21 nexo.agent-too-old']],
    ['2.0.9', ['plugin.toml:3:21 nexo.agent-too-old']],
    ['latest', ['plugin.toml:3:21 nexo.agent-too-old']],
  ])(
    'min_agent_version 2.1.0 on a host with agent version %s has the diagnostics %j',
    (agentVersion, expected) => {
      const result = parse(requiring21, {}, { agentVersion });
      expect(findings(result)).toEqual(expected);
      expect(result.package?.needs.hostVersion).toBe('2.1.0');
      expect(result.unmet?.length ?? 0).toBe(expected.length);
    },
  );

  test('the message for an old agent names both versions', () => {
    const [it] = parse(requiring21, {}, { agentVersion: '2.0.9' }).diagnostics;
    expect(it?.message).toContain('2.1.0');
    expect(it?.message).toContain('2.0.9');
  });

  test('ids registered by the host are reserved, in addition to the built-in ones', () => {
    expect(findings(parse(plain, {}, { reservedIds: ['tide-tables'] }))).toEqual([
      'plugin.toml:2:6 nexo.id-reserved',
    ]);
    for (const id of reservedIds) {
      const text = plain.replace('tide-tables', id);
      expect(findings(parse(text, {}, { reservedIds: ['x'] }))).toEqual(['plugin.toml:2:6 nexo.id-reserved']);
    }
    expect(findings(parse(plain, {}, { reservedIds: ['tide'] }))).toEqual([]);
  });
});

describe('sidecar', () => {
  const servers = '{ "mcpServers": { "charts": { "command": "charts" } } }';

  test('is read when the manifest has no servers', () => {
    for (const text of [plain, `${plain}\n[mcp_servers]\n`]) {
      const result = parse(text, { '.mcp.json': servers });
      expect(findings(result)).toEqual([]);
      expect(result.package?.programs.map((it) => it.name)).toEqual(['@extension', 'charts']);
    }
  });

  test('is ignored and reported when the manifest has servers', () => {
    const text = `${plain}\n[mcp_servers.own]\ntype = "stdio"\ncommand = "own"\n`;
    const result = parse(text, { '.mcp.json': '{{{' });
    expect(findings(result)).toEqual(['plugin.toml:12:2 nexo.sidecar-ignored']);
    expect(result.package?.programs.map((it) => it.name)).toEqual(['@extension', 'own']);
  });

  test('that is a folder is reported once', () => {
    expect(findings(parse(plain, { '.mcp.json/x': '' }))).toEqual(['.mcp.json:1:1 file.not-regular']);
  });

  test('with an error makes the package invalid', () => {
    expect(parse(plain, { '.mcp.json': '{}' }).package).toBeUndefined();
  });
});

describe('schema', () => {
  test('uses the same version pattern as the rules', () => {
    const { version, min_agent_version: minVersion } = schema.properties.plugin.properties;
    expect(version.allOf[0]?.pattern).toBe(versionPattern.source);
    expect(minVersion.allOf[0]?.pattern).toBe(versionPattern.source);
  });
});

const shared = join(import.meta.dirname, '../../../../shared');
const manifests = join(shared, 'data/manifests/nexo');

describe.skipIf(!existsSync(manifests))('manifests in the wild (needs ../shared/data)', () => {
  const names = existsSync(manifests) ? readdirSync(manifests).sort() : [];

  test('at least 17 manifests exist', () => expect(names.length).toBeGreaterThanOrEqual(17));

  test.each(names)('%s is valid', (name) => {
    const result = parse(readFileSync(join(manifests, name), 'utf8'));
    expect(result.diagnostics.map((it) => it.code)).toEqual(['field.alias']);
    expect(result.package?.id).toBe(name.replace('.plugin.toml', ''));
  });
});

const seeds = join(shared, 'seeds');

describe.skipIf(!existsSync(seeds))("the specification's own examples (needs ../shared/seeds)", () => {
  const seed = existsSync(seeds) ? readdirSync(seeds).find((it) => it.startsWith('004_')) : undefined;
  const document = seed === undefined ? '' : readFileSync(join(seeds, seed), 'utf8');
  const minimal = document.slice(document.indexOf('[plugin]\nid'), document.indexOf('\nSections\n'));

  test('the minimal manifest has no diagnostics', () => {
    const result = parse(minimal);
    expect(result.diagnostics).toEqual([]);
    expect(result.package).toMatchObject({ id: 'weather', tools: [{ name: 'get_weather' }] });
  });

  test('each form of transport is accepted', () => {
    const forms = [...document.matchAll(/\[transport\]\ntype = "(?:stdio|nats|http)"\n(?:\w+ = .*\n)+/g)];
    expect(forms).toHaveLength(4);
    const before = minimal.slice(0, minimal.indexOf('[transport]'));
    for (const [form] of forms) expect(parse(before + form).diagnostics).toEqual([]);
  });

  test('the bundled MCP servers are accepted', () => {
    const servers = document.slice(
      document.indexOf('[mcp_servers.gmail]'),
      document.indexOf('\nEach server name'),
    );
    const result = parse(`${minimal}\n${servers}`);
    expect(result.diagnostics).toEqual([]);
    expect(result.package?.programs.map((it) => it.name)).toEqual(['@extension', 'gmail', 'calendar']);
  });
});
