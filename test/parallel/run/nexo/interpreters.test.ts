// Extensions and their MCP servers that name only an interpreter get the one that the host found.
import { execFile } from 'node:child_process';
import { chmodSync, constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bubblewrap } from '../../../../src/sandbox/bubblewrap/bubblewrap.js';
import { findNode, findPython } from '../../../../src/sandbox/interpreter.js';
import { bareServer } from '../../../support/mcp-upstream.js';
import { knownEffectsOptions, main, temporaryFolder } from '../../../support/toolwharf.js';
import { resultOf, workbench } from '../../../support/workbench.js';

const head = (transport: string, bins: readonly string[] = []) => `[plugin]
id = "desk"
version = "1.0.0"

[capabilities]
tools = ["where"]

[transport]
type = "stdio"
${transport}

[requires]
bins = ${JSON.stringify(bins)}
`;

/** An extension and an MCP server in one program: both receive lines with the same method names. */
const python = `import json, sys
def say(**it):
    print(json.dumps({"jsonrpc": "2.0", **it}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    name, given = asked.get("method"), asked.get("params", {})
    if "id" not in asked:
        continue
    where = {"path": sys.executable, "utf8": sys.flags.utf8_mode, "bytecode": sys.flags.dont_write_bytecode}
    tools = [{"name": "where", "description": "Says what runs it.", "inputSchema": {"type": "object"}}]
    if name == "initialize":
        say(id=asked["id"], result={"protocolVersion": given.get("protocolVersion", ""), "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}, "tools": tools, "hooks": []})
    elif name == "tools/list":
        say(id=asked["id"], result={"tools": tools})
    elif name == "tools/call":
        say(id=asked["id"], result={"content": [{"type": "text", "text": json.dumps(where)}]})
    else:
        say(id=asked["id"], error={"code": -32601, "message": "no such method"})
`;

const node = bareServer(`on = {
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify({ path: process.execPath }) }] }),
};`);

const { user } = bubblewrap();
const own = { path: process.execPath, version: process.versions.node };
const servers = {
  beside: { command: 'node', args: ['server.mjs'] },
  third: { command: 'python', args: ['-u', 'desk.py'] },
};

test('the extension and the servers of its sidecar run with the interpreters that the host found', async () => {
  const bench = await workbench({
    'desk/plugin.toml': head('command = "python3"\nargs = ["desk.py"]', ['python3', 'node']),
    'desk/.mcp.json': JSON.stringify({ mcpServers: servers }),
    'desk/desk.py': python,
    'desk/server.mjs': node,
  });
  const session = await bench.session();
  const { packages } = await session.packages();
  expect(packages[0]?.state, packages[0]?.reasons.join()).toBe('ready');
  const call = async (tool: string) => resultOf(session.call({ tool, arguments: {} }));
  const found = findPython(undefined, user, '/nowhere').path;
  // The host starts every Python with these options.
  const startedByHost = { path: found, utf8: 1, bytecode: 1 };
  expect(JSON.parse(String(await call('desk/where')))).toEqual(startedByHost);
  expect(await call('desk/third_where')).toEqual(startedByHost);
  expect(await call('desk/beside_go')).toEqual({ path: findNode(undefined, user, own).path });
  expect(bench.bugs).toEqual([]);
  await bench.close();
});

test.each([
  ['npx', ['-y', '@desk/server']],
  ['npm', ['exec', '@desk/server']],
  ['uv', ['--quiet', 'tool', 'run', 'desk']],
  ['pnpm', ['dlx', '@desk/server']],
])(
  'a server that %s would download is not started, and the package status says why',
  async (command, args) => {
    const bench = await workbench({
      'desk/plugin.toml': head('command = "python3"\nargs = ["desk.py"]'),
      'desk/.mcp.json': JSON.stringify({ mcpServers: { far: { command, args } } }),
      'desk/desk.py': python,
    });
    const [found] = (await (await bench.session()).packages()).packages;
    expect(found?.state).toBe('unavailable');
    expect(found?.reasons.join()).toContain(`desk/far is started with ${command}, which downloads a program`);
    await bench.close();
  },
);

test.each(['no-such-program', 'python3.39'])(
  'other declared programs are still required: %s',
  async (program) => {
    const bench = await workbench({
      'desk/plugin.toml': head('command = "python3"\nargs = ["desk.py"]', ['python3', 'python', program]),
      'desk/desk.py': python,
    });
    const [found] = (await (await bench.session()).packages()).packages;
    expect(found?.state).toBe('unavailable');
    // Many machines have no program with the plain name python.
    expect(found?.reasons.join()).toMatch(new RegExp(`^it needs ${program} in`));
    await bench.close();
  },
);

test('a Node outside the usual program folders works', async () => {
  const folder = temporaryFolder({
    'desk/plugin.toml': head('command = "node"\nargs = ["extension.mjs"]', ['node']),
    'desk/extension.mjs': `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'initialize' ? { tools: [{ name: 'where' }], hooks: [] } : { path: process.execPath };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`,
  });
  const elsewhere = join(folder.path, 'node');
  copyFileSync(process.execPath, elsewhere, constants.COPYFILE_FICLONE);
  chmodSync(elsewhere, 0o755);
  const state = join(folder.path, 'state');
  const args = [main, 'call', join(folder.path, 'desk'), 'where', '{}', '--json', '--state', state];
  args.push(...knownEffectsOptions(folder.path));
  const { stdout, stderr } = await promisify(execFile)(elsewhere, args, { env: { HOME: folder.path } });
  expect(JSON.parse(stdout), stderr).toMatchObject({ result: { path: elsewhere } });
  folder.remove();
});
