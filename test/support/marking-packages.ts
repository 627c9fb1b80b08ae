// One package per format whose program leaves a mark when it starts, and readers for what a command may have changed.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bareServer } from './mcp-upstream.js';
import { type LoopbackServer, loopbackServer, temporaryFolder } from './toolwharf.js';

const page = 'https://example.com/tool';

/** A package with its tool. */
export interface MarkingPackage {
  readonly format: string;
  readonly id: string;
  /** Path of the package in the folder of all packages. */
  readonly path: string;
  readonly tool: string;
  /** A part of the command line of its program; null if it has none on this machine. */
  readonly program: string | null;
}

export const markingPackages: readonly MarkingPackage[] = [
  { format: 'patch', id: 'mark_patch', path: 'mark_patch.py', tool: 'mark_patch', program: 'mark_patch.py' },
  { format: 'talos', id: 'mark-talos', path: 'mark-talos', tool: 'go', program: 'marking-handler' },
  { format: 'toolspace', id: 'mark-toolspace', path: 'toolspace', tool: 'go', program: 'marking-server.mjs' },
  { format: 'nexo', id: 'mark-nexo', path: 'nexo', tool: 'go', program: 'marking-extension.py' },
  { format: 'mcp', id: 'mark-mcp', path: 'mcp', tool: 'go', program: 'marking-mcp.mjs' },
  { format: 'findagent', id: 'mark-agent', path: 'findagent', tool: 'go', program: null },
];

export interface MarkingProject {
  readonly path: string;
  readonly packages: string;
  readonly workspace: string;
  readonly state: string;
  readonly server: LoopbackServer;
  /** The grant that lets the agent reach its server. */
  readonly grant: string;
  /** Formats whose program left a mark. */
  marks(): readonly string[];
  /** Changes the text of all packages that people and models read, so that they need review. */
  reword(): void;
  /** Writes a file like another one, with changes. */
  write(name: string, like: string, change: (text: string) => string): void;
  close(): Promise<void>;
}

export async function markingProject(): Promise<MarkingProject> {
  const folder = temporaryFolder();
  const packages = join(folder.path, 'tools');
  const workspace = join(folder.path, 'workspace');
  for (const it of [packages, workspace]) mkdirSync(it);
  chmodSync(workspace, 0o777);
  const server = await loopbackServer((_, response) => response.end('{}'));
  const files = packageFiles(workspace, server.port);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    writeFileSync(join(packages, name), text);
  }
  return {
    path: folder.path,
    packages,
    workspace,
    state: join(folder.path, 'state'),
    server,
    grant: `net:127.0.0.1:${server.port}`,
    marks: () => [
      ...markingPackages
        .filter((it) => existsSync(join(workspace, `mark-${it.format}`)))
        .map((it) => it.format),
      ...(server.requests.length > 0 ? ['findagent'] : []),
    ],
    reword() {
      for (const name of Object.keys(files)) {
        const path = join(packages, name);
        writeFileSync(path, readFileSync(path, 'utf8').replaceAll('Leaves a mark', 'Leaves another mark'));
      }
    },
    write: (name, like, change) =>
      writeFileSync(join(packages, name), change(readFileSync(join(packages, like), 'utf8'))),
    async close() {
      await server.close();
      folder.remove();
    },
  };
}

function packageFiles(workspace: string, port: number): Record<string, string> {
  const mark = (format: string) => JSON.stringify(join(workspace, `mark-${format}`));
  const toolspace = {
    manifest_version: '0.2',
    tool: {
      id: 'mark-toolspace',
      version: '1.0.0',
      name: 'Mark',
      summary: 'Leaves a mark where it can.',
      homepage: page,
      license: 'MIT',
    },
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['node', 'marking-server.mjs'] },
    },
    scopes: [{ resource: 'fs.local', actions: ['read', 'write'], rationale: 'Leaves a mark in your files.' }],
    smoke: { kind: 'mcp-tool-call', tool_name: 'go', arguments: {}, success: {} },
    kill_switch: { kind: 'manual', instructions_url: page },
  };
  const talos = {
    id: 'mark-talos',
    name: 'Mark',
    description: 'Leaves a mark where it can.',
    version: '1.0.0',
    category: 'development',
    functions: [
      { name: 'go', description: 'Leaves a mark.', parameters: { type: 'object', properties: {} } },
    ],
  };
  const mcp = {
    schema: 'toolwharf/mcp@1',
    name: 'mark-mcp',
    version: '1.0.0',
    description: 'Leaves a mark where it can.',
    command: 'node',
    args: ['marking-mcp.mjs'],
    files: { workspace: 'read-write' },
  };
  const findagent = {
    name: 'Mark Agent',
    description: 'Leaves a mark where it can.',
    system_prompt: 'You answer questions about marks, using the tool and nothing else at all.',
    kind: 'mcp-tool',
    tools: [
      {
        name: 'go',
        description: 'Leaves a mark.',
        input_schema: { type: 'object', properties: {} },
        annotations: { readOnlyHint: true },
        action: { type: 'http', method: 'GET', url: `http://127.0.0.1:${port}/mark` },
      },
    ],
    example_prompts: ['Go.'],
  };
  return {
    'mark_patch.py': patchSource(mark('patch')),
    'mark-talos/manifest.json': JSON.stringify(talos),
    'mark-talos/index.js': `// marking-handler\nrequire('node:fs').writeFileSync(${mark('talos')}, 'x');\nexports.go = () => 'gone';\n`,
    'toolspace/toolspace.json': JSON.stringify(toolspace),
    'toolspace/marking-server.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(${mark('toolspace')}, 'x');\n${bareServer('')}`,
    'mcp/toolwharf-mcp.json': JSON.stringify(mcp),
    'mcp/marking-mcp.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(${mark('mcp')}, 'x');\n${bareServer('')}`,
    'nexo/plugin.toml': nexoManifest,
    'nexo/marking-extension.py': nexoSource(mark('nexo')),
    'findagent/findagent.json': JSON.stringify(findagent),
  };
}

function patchSource(mark: string): string {
  return `# ---
# name: mark_patch
# version: "1.0.0"
# description: Leaves a mark where it can.
# inputs: []
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: false
# runtime:
#   language: python
# ---
import json


def main():
    open(${mark}, "w").close()
    return {"gone": True}


if __name__ == "__main__":
    print(json.dumps(main()))
`;
}

const nexoManifest = `[plugin]
id = "mark-nexo"
version = "1.0.0"
description = "Leaves a mark where it can."

[capabilities]
tools = ["go"]

[transport]
type = "stdio"
command = "/usr/bin/python3"
args = ["marking-extension.py"]
`;

function nexoSource(mark: string): string {
  return `import json, sys
open(${mark}, "w").close()
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"server_version": "1.0.0", "tools": [{"name": "go", "description": "Goes."}], "hooks": []}
    elif request["method"] == "tools/call":
        result = "gone"
    else:
        result = {}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
`;
}

/** Everything that the state directory knows about agreements, links and announcements, as text. */
export function agreementRows(state: string): string {
  const script = `
import json, sqlite3, sys
database = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
for table in ("link", "broken_when_named", "agreement", "announcement"):
    for row in database.execute("select * from " + table + " order by 1, 2"):
        print(table, json.dumps(row))
`;
  const path = join(state, 'toolwharf.db');
  if (!existsSync(path)) return '';
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', script, path], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
