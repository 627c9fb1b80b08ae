// Packages that run crew.py.
import { readFileSync } from 'node:fs';

const code = readFileSync(new URL('crew.py', import.meta.url), 'utf8');
const page = 'https://example.com/tool';

function extension(id, manner) {
  return `[plugin]
id = "${id}"
version = "1.0.0"

[capabilities]
tools = ["act"]

[transport]
type = "stdio"
command = "/usr/bin/python3"
args = ["crew.py", "nexo", "${manner}"]
`;
}

function server(id, manner) {
  const about = { id, version: '1.0.0', name: id, summary: 'A test server.', homepage: page, license: 'MIT' };
  return JSON.stringify({
    manifest_version: '0.2',
    tool: about,
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['/usr/bin/python3', 'crew.py', 'mcp', manner] },
    },
    smoke: { kind: 'mcp-tool-call', tool_name: 'act', arguments: {}, success: {} },
    kill_switch: { kind: 'manual', instructions_url: page },
  });
}

/** The files of a package: an extension or an MCP server with one tool, `act`, that behaves as `manner` says. */
export function crew(protocol, id, manner) {
  const manifest =
    protocol === 'nexo'
      ? { [`${id}/plugin.toml`]: extension(id, manner) }
      : { [`${id}/toolspace.json`]: server(id, manner) };
  return { ...manifest, [`${id}/crew.py`]: code };
}
