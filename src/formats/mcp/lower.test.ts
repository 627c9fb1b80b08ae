import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { defaultParseOptions } from '../index.js';
import { manifestName } from './claim.js';
import { mcpParser } from './format.js';

function lowered(members: JsonObject, files: Readonly<Record<string, string>> = {}): Package {
  const manifest = { schema: 'toolwharf/mcp@1', name: 'notes', ...members };
  const bundle = memoryBundle({ ...files, [manifestName]: JSON.stringify(manifest) }, manifestName);
  const { package: found, diagnostics } = mcpParser.parse(bundle, defaultParseOptions);
  if (found === undefined) throw new Error(JSON.stringify(diagnostics));
  return found;
}

const npm = { install: { npm: '@example/notes@^1' }, command: 'notes' };

describe('a server as a package', () => {
  test('is one program that announces its tools, with a home folder that lasts', () => {
    const pkg = lowered({ ...npm, args: ['--stdio'], cwd: '${data}' });
    expect(pkg).toMatchObject({
      ...{ format: 'mcp', id: 'notes', version: '0.0.0', name: 'notes', announcesTools: true, tools: [] },
      install: { kind: 'npm', package: '@example/notes', version: '^1' },
      smoke: { check: { kind: 'start' } },
      needs: { binaries: [] },
    });
    expect(pkg.programs).toEqual([
      {
        name: 'server',
        role: 'mcp-server',
        lifetime: 'persistent',
        protocol: 'mcp',
        callerContext: false,
        homeInData: true,
        target: {
          kind: 'process',
          command: [
            { parts: [{ kind: 'text', text: 'notes' }] },
            { parts: [{ kind: 'text', text: '--stdio' }] },
          ],
          directory: '',
          inData: true,
          environment: [],
        },
      },
    ]);
  });

  test('asks for nothing that its manifest does not name', () => {
    expect(lowered(npm).permissions).toEqual({
      origin: 'declared',
      network: { kind: 'hosts', hosts: [] },
      filesystem: 'none',
      stateDirectory: true,
      scopes: [],
    });
    const files = { workspace: 'read-only', read: ['/srv/a', '/srv/b'], write: ['/srv/b'] };
    expect(lowered({ ...npm, network: ['api.example.com:8443'], files }).permissions).toMatchObject({
      network: { kind: 'hosts', hosts: [{ host: 'api.example.com', port: 8443 }] },
      filesystem: 'read-only',
      folders: [
        { path: '/srv/a', writable: false },
        { path: '/srv/b', writable: true },
      ],
    });
    expect(lowered({ ...npm, network: 'none' }).permissions.network).toEqual({ kind: 'none' });
  });

  test('gets values as variables and in arguments', () => {
    const env = { MODE: 'fast', TOKEN: { secret: true, required: true, description: 'Your token.' } };
    const pkg = lowered({ ...npm, env, values: { KEY: { secret: true } }, args: ['--key=${KEY}'] });
    expect(
      pkg.slots.map(({ name, secret, required, delivery, audience, default: value }) => [
        ...[name, secret, required, delivery.kind, audience.kind, value],
      ]),
    ).toEqual([
      ['MODE', false, false, 'environment', 'public', 'fast'],
      ['TOKEN', true, true, 'environment', 'unbound', undefined],
      ['KEY', true, false, 'context', 'unbound', undefined],
    ]);
    expect(pkg.programs[0]?.target).toMatchObject({
      command: [
        {},
        {
          parts: [
            { kind: 'text', text: '--key=' },
            { kind: 'slot', slot: 'KEY' },
          ],
        },
      ],
    });
  });

  test('at a URL sends its secrets only to that host', () => {
    const headers = { Authorization: 'Bearer ${TOKEN}' };
    const values = { TOKEN: { secret: true, required: true } };
    const pkg = lowered({ url: 'https://mcp.example.com:8443/mcp', headers, values });
    expect(pkg.programs[0]?.target).toMatchObject({ kind: 'url', url: 'https://mcp.example.com:8443/mcp' });
    expect(pkg.permissions).toMatchObject({
      network: { hosts: [{ host: 'mcp.example.com', port: 8443 }] },
      stateDirectory: false,
    });
    expect(pkg.slots[0]?.audience).toEqual({ kind: 'hosts', hosts: ['mcp.example.com'] });
  });

  test('in an image runs as a container', () => {
    const pkg = lowered({ install: { image: 'registry.example.com/notes:1' }, args: ['--stdio'] });
    expect(pkg.install).toEqual({ kind: 'container', image: 'registry.example.com/notes:1' });
    expect(pkg.programs[0]?.target).toMatchObject({ kind: 'container', command: [{}] });
  });

  test('whose script is in the package starts in the folder of the package', () => {
    const members = { command: 'node', args: ['server.mjs'], cwd: '${data}' };
    expect(lowered(members, { 'server.mjs': '' }).programs[0]?.target).not.toHaveProperty('inData');
    expect(lowered(members).programs[0]?.target).toHaveProperty('inData', true);
  });

  test('names the program of the machine that it needs', () => {
    expect(lowered({ command: 'notes-server' }).needs.binaries).toEqual(['notes-server']);
    expect(lowered({ command: 'python3', args: ['-m', 'notes'] }).needs.binaries).toEqual([]);
  });
});
