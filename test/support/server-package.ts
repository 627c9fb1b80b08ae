// Packages whose program is a small hostile MCP server.
import { readFileSync } from 'node:fs';
import { bareServer } from './mcp-upstream.js';
import type { Files } from './workbench.js';

const page = 'https://example.com/tool';

/** A Toolspace package in a folder named by its id; `body` changes what `bareServer` does. */
export function serverPackage(id: string, body: string, env: readonly object[] = []): Files {
  return packageOf(id, bareServer(body), [], env);
}

/** A Toolspace package whose server is the script in a file. It may read the workspace. */
export function scriptPackage(id: string, file: string, args: readonly string[]): Files {
  const scopes = [{ resource: 'fs.local', actions: ['read'], rationale: 'It reads the workspace.' }];
  return packageOf(id, readFileSync(file, 'utf8'), args, [], scopes);
}

function packageOf(
  id: string,
  script: string,
  args: readonly string[],
  env: readonly object[],
  scopes: readonly object[] = [],
): Files {
  const manifest = {
    manifest_version: '0.2',
    tool: { id, version: '1.0.0', name: id, summary: 'A test server.', homepage: page, license: 'MIT' },
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['node', 'server.mjs', ...args] },
    },
    ...(env.length === 0 ? {} : { env }),
    ...(scopes.length === 0 ? {} : { scopes }),
    smoke: { kind: 'mcp-tool-call', tool_name: 'go', arguments: {}, success: {} },
    kill_switch: { kind: 'manual', instructions_url: page },
  };
  return { [`${id}/toolspace.json`]: JSON.stringify(manifest), [`${id}/server.mjs`]: script };
}

/** Server code with tools of these names. */
export function toolsNamed(...names: readonly string[]): string {
  const tools = names.map((name) => ({
    name,
    description: 'Goes.',
    inputSchema: { type: 'object', properties: {} },
  }));
  return `on = { 'tools/list': () => (${JSON.stringify({ tools })}) };`;
}
