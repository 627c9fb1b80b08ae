// An unmodified server from the npm registry, named in a manifest, is installed and called with the command.

import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { removeTree } from '../../../../src/environment/file-tree.js';
import type { Era } from '../../../support/mcp-wire.js';
import {
  type LoopbackServer,
  loopbackServer,
  main,
  temporaryFolder,
  toolwharf,
} from '../../../support/toolwharf.js';

const server = '@modelcontextprotocol/server-memory';
const version = '2026.8.31';
const page = 'https://example.com/tool';
const manifest = {
  manifest_version: '0.2',
  tool: {
    id: 'notes',
    version: '1.0.0',
    name: 'Notes',
    summary: 'Stores notes.',
    homepage: page,
    license: 'MIT',
  },
  runtime: {
    kind: 'mcp-stdio',
    install: { method: 'npm', package: server, version_spec: version },
    entrypoint: { command: ['mcp-server-memory'] },
  },
  smoke: { kind: 'mcp-tool-call', tool_name: 'read_graph', arguments: {}, success: {} },
  kill_switch: { kind: 'manual', instructions_url: page },
};
const folder = temporaryFolder({
  'notes/toolspace.json': JSON.stringify(manifest),
  'mirror/package.json': '{}',
});
const path = join(folder.path, 'notes');
const mirror = join(folder.path, 'mirror');
const state = ['--state', join(folder.path, 'state')];
const isMirrored = await fetchAll();

// Installed packages are read-only, also for their owner. The background host writes until it is idle and ends.
afterAll(() => vi.waitFor(() => removeTree(folder.path), { timeout: 30_000 }));

/** Downloads the server and its dependencies with npm. Returns false if no registry can be reached. */
async function fetchAll(): Promise<boolean> {
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  try {
    await promisify(execFile)('npm', [...args, `${server}@${version}`], { cwd: mirror, timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

/** A loopback registry with these packages, because the host does not connect to mirrors in private networks. */
async function registry(): Promise<LoopbackServer> {
  const { packages } = JSON.parse(readFileSync(join(mirror, 'package-lock.json'), 'utf8'));
  const archives = new Map<string, Buffer>();
  const documents = new Map<string, { versions: Record<string, object> }>();
  for (const place of Object.keys(packages).filter((it) => it !== '')) {
    const about = JSON.parse(readFileSync(join(mirror, place, 'package.json'), 'utf8'));
    const args = [
      '-cz',
      '--exclude=./node_modules',
      '--transform=s,^\\.,package,',
      '-C',
      join(mirror, place),
      '.',
    ];
    const bytes = execFileSync('tar', args, { maxBuffer: 64 * 1024 * 1024 });
    const file = `/archive/${archives.size}.tgz`;
    archives.set(file, bytes);
    const document = documents.get(about.name) ?? { versions: {} };
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    document.versions[about.version] = { ...about, scripts: {}, dist: { integrity, tarball: file } };
    documents.set(about.name, document);
  }
  return loopbackServer((request, response) => {
    const wanted = decodeURIComponent(request.url ?? '');
    const archive = archives.get(wanted);
    if (archive !== undefined) return response.end(archive);
    const document = documents.get(wanted.slice(1));
    if (document === undefined) return response.writeHead(404).end();
    const origin = `http://${request.headers.host}`;
    const latest = Object.keys(document.versions).at(-1);
    const text = JSON.stringify({ name: wanted.slice(1), 'dist-tags': { latest }, ...document });
    return response.end(text.replaceAll('"tarball":"/', `"tarball":"${origin}/`));
  });
}

test('without an installation, nothing is downloaded and the message names the install command', async () => {
  const before = await toolwharf(['call', path, 'notes/read_graph', '{}', '--json', ...state]);
  expect(before.code).not.toBe(0);
  expect(before.stdout + before.stderr).toContain('toolwharf install');
});

describe.skipIf(!isMirrored)('a server installed from the npm registry (needs an npm registry)', () => {
  beforeAll(async () => {
    const { port, close } = await registry();
    const args = ['install', path, '--yes', '--npm-registry', `http://127.0.0.1:${port}`, ...state];
    const installed = await toolwharf(args);
    // From now on, nothing can be downloaded.
    await close();
    expect(installed, installed.stderr).toMatchObject({ code: 0 });
  }, 90_000);

  test('the command calls it', async () => {
    const called = await toolwharf(['call', path, 'read_graph', '{}', '--json', ...state]);
    expect(called, called.stderr + called.stdout).toMatchObject({ code: 0 });
    expect(JSON.parse(called.stdout).result).toMatchObject({ entities: [], relations: [] });
  }, 30_000);

  test.each<Era>(['2025', '2026'])(
    'a client of %s calls it',
    async (era) => {
      const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
      const client = new Client({ name: 'stock', version: '1.0.0' }, { versionNegotiation: { mode } });
      const env = { ...(process.env as Record<string, string>), TOOLWHARF_IDLE: '1s' };
      const args = [main, 'mcp', path, ...state];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
      const { tools } = await client.listTools();
      expect(tools.map((it) => it.name)).toContain('notes_read_graph');
      const answer = await client.callTool({ name: 'notes_read_graph', arguments: {} });
      expect(answer).toMatchObject({ structuredContent: { entities: [], relations: [] } });
      await client.close();
    },
    30_000,
  );
});
