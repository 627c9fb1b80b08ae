// What the suite runs against: the host as a server for packages, and as a gateway in front of MCP servers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModule } from '../../scripts/bundle.mjs';

const page = 'https://example.com/test/conformance';

/** Tools whose names in the suite do not begin with "test_". A set shows them under these names. */
const plainNames = {
  test: ['json_schema_2020_12_tool'],
  tasks: [
    'greet',
    'slow_compute',
    'failing_job',
    'protocol_error_job',
    'confirm_delete',
    'multi_input',
    'test_tool_with_task',
  ],
};

export const setups = {
  /** Patch packages and one small server, as far as a package can have what the suite looks for. */
  packages: {
    title: 'The host as a server',
    prepare: (root) => [
      join(root, 'test/conformance/packages'),
      join(root, 'examples/findagent/review-skills'),
    ],
    flips: { test_trigger_tool_change: 'test_simple_text', test_trigger_prompt_change: 'test' },
  },
  /** MCP servers over stdio that have everything. They support both eras, so the host uses that of 2026. */
  gateway: {
    title: 'The host in front of MCP servers of 2026',
    prepare: (root, place) => serversIn(root, place, []),
    ...{ requests: ['sampling', 'roots'], plainNames },
  },
  'gateway-2025': {
    title: 'The host in front of MCP servers of 2025',
    prepare: (root, place) => serversIn(root, place, ['2025']),
    ...{ requests: ['sampling', 'roots'], plainNames },
  },
};

/** Packages with the servers, in a new folder. */
async function serversIn(root, place, args) {
  const folder = join(place, `servers${args.join('-')}`);
  const servers = {
    test: 'test/conformance/gateway/server.mjs',
    tasks: 'test/support/upstreams/task-server.mjs',
  };
  for (const [id, script] of Object.entries(servers)) {
    mkdirSync(join(folder, id), { recursive: true });
    await bundleModule(`import './${script}';`, root, join(folder, id, 'server.mjs'));
    writeFileSync(join(folder, id, 'toolspace.json'), JSON.stringify(manifest(id, args)));
  }
  return [folder];
}

const manifest = (id, args) => ({
  manifest_version: '0.2',
  tool: {
    id,
    version: '1.0.0',
    name: id,
    summary: 'A server for the suite.',
    homepage: page,
    license: 'MIT',
  },
  runtime: {
    kind: 'mcp-stdio',
    install: { method: 'git', url: page, ref: '0'.repeat(40) },
    entrypoint: { command: ['node', 'server.mjs', ...args] },
  },
  scopes: [{ resource: 'fs.local', actions: ['read'], rationale: 'It asks for roots.' }],
  smoke: { kind: 'mcp-tool-call', tool_name: 'greet', arguments: {}, success: {} },
  kill_switch: { kind: 'manual', instructions_url: page },
});
