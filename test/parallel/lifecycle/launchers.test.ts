// MCP servers added by the command lines of uvx, pipx, bunx and pnpm, from a real Python index and npm registry on loopback.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { bareServer } from '../../support/mcp-upstream.js';
import { type PackageOrigin, packageOrigin } from '../../support/package-origin.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';

/** Shows its arguments and the variable MODE. */
const pythonServer = `import json, os, sys
def main():
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if number is None:
            continue
        if method == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "clock", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "see", "description": "Shows what it got.", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": json.dumps({"args": sys.argv[1:], "mode": os.environ.get("MODE")})}]}
        else:
            print(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no such method"}}), flush=True)
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
if __name__ == "__main__":
    main()
`;
const nodeServer = `#!/usr/bin/env node
${bareServer(`on = {
  'tools/list': () => ({ tools: [{ name: 'see', description: 'Shows what it got.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify({ args: process.argv.slice(2), mode: process.env.MODE }) }] }),
};`)}`;

let origin: PackageOrigin;
let bench: Workbench;
let session: Session;

beforeAll(async () => {
  origin = await packageOrigin();
  for (const version of ['1.0.0', '1.2.0'])
    origin.python('clock-server', version, pythonServer, {
      [`clock_server-${version}.dist-info/entry_points.txt`]:
        '[console_scripts]\nclock-server = clock_server:main\nclock-other = clock_server:main\n',
    });
  for (const version of ['1.0.0', '1.2.0'])
    origin.npm(
      { name: 'notes-server', version, bin: { 'notes-server': 'server.mjs', 'notes-other': 'server.mjs' } },
      { 'server.mjs': nodeServer },
    );
});
afterAll(() => origin.close());

beforeEach(async () => {
  bench = await workbench({});
  session = await bench.session({
    ...{ directories: [], accept: null, allow: [origin.grant] },
    policy: { caCertificates: origin.ca, indexes: origin.indexes },
  });
});
afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

test.each([
  ['uvx clock-server --city Oslo', '1.2.0', 'clock-server 1.2.0 (pip)'],
  ['uvx --from clock-server==1.0.0 clock-other --city Oslo', '1.0.0', 'clock-server 1.0.0 (pip)'],
  ['pipx run --spec clock-server clock-other --city Oslo', '1.2.0', 'clock-server 1.2.0 (pip)'],
  ['bunx notes-server@1.0.0 --city Oslo', '1.0.0', 'notes-server 1.0.0 (npm)'],
  ['pnpm --package=notes-server@^1.0.0 dlx notes-other --city Oslo', '1.2.0', 'notes-server 1.2.0 (npm)'],
])(
  '%s: the server is locked, installed, ready and answers',
  async (line, version, locked) => {
    const { installations } = session;
    const request = { name: 'desk', command: ['MODE=fast', ...line.split(' ')] };
    const trial = await installations.tryServer({ ...request, by });
    expect(trial).toMatchObject({ status: 'started', tools: [{ name: 'see' }], hosts: [] });
    const { source, values } = await installations.draftServer(request);
    const plan = await installations.plan({ source });
    expect(plan).toMatchObject({ package: { version }, dependencies: [locked], requires: [], blockers: [] });
    await installations.install({ source, agree: plan.digest, values, by });
    expect((await session.packages()).packages).toMatchObject([{ id: 'desk', state: 'ready' }]);
    const result = await resultOf(session.call({ tool: 'desk/see', arguments: {} }));
    expect(result).toEqual({ args: ['--city', 'Oslo'], mode: 'fast' });
  },
  60_000,
);
