// SECURITY.md: "Secrets are removed from output". A long random run over every surface, with a secret for a
// package of each format. Then all output, files and process lists are searched for the secrets.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpBench, httpBench } from '../../support/http-bench.js';
import { frontFor, officialClient } from '../../support/mcp-wire.js';
import {
  knownEffectsOptions,
  type LoopbackServer,
  loopbackServer,
  temporaryFolder,
  toolwharf,
} from '../../support/toolwharf.js';
import { findagent, inputOf, pythonTool, resultOf, talos, toolspace } from '../../support/workbench.js';

// Split, so that the source does not contain the whole value.
const plant = (name: string) => ['Pl4nt', name, 'vQ2.mX7', 'R4wL8"ü/5'].join('-');
const values = {
  mail: { slot: 'PATCH_ACCESS_TOKEN', value: ['Pl4nt', 'mail', 'vQ2.mX7', 'R4wL8'].join('-') },
  crate: { slot: 'crate_key', value: plant('talos') },
  shelf: { slot: 'SHELF_KEY', value: plant('toolspace') },
  'desk-agent': { slot: 'key', value: ['Pl4nt', 'findagent', 'k77', 'R4wL8'].join('-') },
  '@broker': { slot: 'ARCADE_API_KEY', value: ['Pl4nt', 'broker', 'x19', 'R4wL8'].join('-') },
} as const;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Code of a tool that outputs its secret in the way that `text` selects. */
const python = (variable: string) => [
  `key = os.environ["${variable}"]`,
  'if text == "crash": sys.stderr.write(key); sys.stderr.flush(); os.abort()',
  'if text == "throw": raise ValueError("it is " + key)',
  'if text == "exit": print(key); sys.exit(3)',
  'if text == "garbage": print("not json " + key); sys.exit(0)',
  'if text == "say": sys.stderr.write(key); return {"said": key, key: 1, "b64": base64.b64encode(key.encode()).decode(), "hex": key.encode().hex()}',
  'return {"digest": hashlib.sha256(key.encode()).hexdigest()}',
];
const javascript = `import { createHash } from 'node:crypto';
export async function act({ text }, { config }) {
  const key = config.crate_key;
  if (text === 'crash') { console.error(key); process.abort(); }
  if (text === 'throw') throw new Error('it is ' + key);
  if (text === 'exit') { console.log(key); process.exit(3); }
  if (text === 'say' || text === 'garbage') return { said: key, [key]: Buffer.from(key).toString('base64'), url: encodeURIComponent(key) };
  return { digest: createHash('sha256').update(key).digest('hex') };
}
`;

let home: HttpBench;
let server: LoopbackServer;
/** All output of all surfaces. */
const outputs: string[] = [];
const commandLines = new Set<string>();
let watcher: NodeJS.Timeout;

function packageFiles(port: number) {
  const head = ['import base64', 'import hashlib'];
  return {
    'mail.py': pythonTool({ name: 'mail', head, body: python('PATCH_ACCESS_TOKEN'), network: true }).replace(
      '# runtime:',
      '# external_auth: [gmail.read]\n# runtime:',
    ),
    ...talos({
      id: 'crate',
      code: javascript,
      functions: ['act'],
      rest: { credentials: [{ name: 'crate_key', label: 'Key', required: true }] },
    }),
    'shelf/shelf.py': [
      'import base64, hashlib, json, os, sys',
      'def main(text):',
      ...python('SHELF_KEY').map((it) => `    ${it}`),
      'print(json.dumps(main(json.load(sys.stdin).get("text", ""))))',
    ].join('\n'),
    'shelf/toolspace.json': toolspace({
      id: 'shelf',
      command: ['python3', 'shelf.py'],
      env: [{ name: 'SHELF_KEY', prompt: 'The key.', required: true, secret: true }],
      actions: [
        {
          name: 'act',
          invocation: { kind: 'stdin-json' },
          input: inputOf({ text: { type: 'string', default: '' } }),
          output: { format: 'json' },
        },
      ],
    }),
    'desk/findagent.json': findagent('Desk Agent', {
      tools: ['say', 'throw', 'digest'].map((name) => ({
        name,
        description: 'Ask the desk.',
        annotations: { readOnlyHint: true },
        action: { type: 'http', method: 'GET', url: `http://localhost:${port}/${name}`, auth_ref: 'key' },
      })),
      credential_slots: [{ ref: 'key', label: 'Key', allowed_hosts: ['localhost'], required: true }],
    }),
  };
}

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    const key = String(request.headers.authorization).slice('Bearer '.length);
    const status = request.url === '/throw' ? 500 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(request.url === '/digest' ? { digest: digest(key) } : { said: key, [key]: key }),
    );
  });
  home = await httpBench({}, {}, packageFiles(server.port));
  for (const [id, { slot, value }] of Object.entries(values))
    await home.bench.host.secrets.set({
      package: id,
      slot,
      value,
      audience: { kind: 'manifest' },
      by: 'test',
    });
  // Arguments of processes are visible to every user of the machine.
  watcher = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((it) => /^\d+$/.test(it))) {
      try {
        commandLines.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        // The process already exited.
      }
    }
  }, 25);
});

afterAll(async () => {
  clearInterval(watcher);
  await home?.close();
  await server?.close();
});

const ways = ['crash', 'throw', 'exit', 'garbage', 'say', 'digest'];
const open = () => home.bench.session({ allow: [`net:localhost:${server.port}`] });

test('every format passes the secret to its code', async () => {
  const session = await open();
  for (const [tool, value] of [
    ['mail/mail', values.mail.value],
    ['crate/act', values.crate.value],
    ['shelf/act', values.shelf.value],
    ['desk-agent/digest', values['desk-agent'].value],
  ] as const) {
    const given = tool === 'desk-agent/digest' ? {} : { text: 'digest' };
    expect(await resultOf(session.call({ tool, arguments: given })), tool).toEqual({ digest: digest(value) });
  }
});

test('a long random run outputs none of the secrets', async () => {
  const session = await open();
  const client = await officialClient(frontFor({ host: home.bench.host, session }), '2025');
  const exposed = new Map((await session.tools()).map((it) => [it.name, it.exposed]));
  const choose = fc.record({
    tool: fc.constantFrom('mail/mail', 'crate/act', 'shelf/act', 'desk-agent/say', 'desk-agent/throw'),
    way: fc.constantFrom(...ways),
    by: fc.constantFrom('session', 'mcp', 'wrong', 'list', 'http'),
  });
  const collect = (it: unknown) => void outputs.push(JSON.stringify(it) ?? '');
  const deadline = performance.now() + 15_000;
  for (const { tool, way, by } of fc.sample(choose, { seed: 11, numRuns: 60 })) {
    if (performance.now() > deadline) break;
    const given = tool.startsWith('desk-agent') ? {} : { text: way };
    if (by === 'session') collect(await session.call({ tool, arguments: given }));
    else if (by === 'wrong') collect(await session.call({ tool, arguments: { text: 7, odd: way } }));
    else if (by === 'mcp')
      collect(
        await client
          .callTool({ name: exposed.get(tool) as string, arguments: given })
          .catch((error: Error) => ({ message: error.message, stack: error.stack })),
      );
    else if (by === 'list') {
      collect(await session.packages());
      collect(await session.tools());
      collect(await home.bench.host.secrets.list());
    } else {
      for (const path of ['/api/v1/tools', '/api/v1/packages', '/api/v1/settings', '/metrics']) {
        const { status, text } = await home.request(path, { token: home.operator });
        expect(status, path).toBe(200);
        collect(text);
      }
      const body = { tool, arguments: given };
      collect((await home.request('/api/v1/call', { method: 'POST', token: home.agent, body })).text);
    }
  }
  await client.close();
  collect(await home.bench.host.auditTail(1000));
  collect(home.bench.bugs.map((it) => (it instanceof Error ? `${it.message}\n${it.stack}` : it)));
  expect(outputs.length).toBeGreaterThan(40);
  // Control: the search finds a secret in a text that contains it.
  expect(found('x'.repeat(9) + values.crate.value)).toEqual(['crate']);
  expect(found(outputs.join('\n'))).toEqual([]);
  expect(found([...commandLines].join('\n'))).toEqual([]);
  expect(found(filesBelow(join(home.bench.path, 'state')))).toEqual([]);
}, 60_000);

test('the command line outputs none of the secrets', async () => {
  const folder = temporaryFolder(packageFiles(server.port));
  const state = ['--state', join(folder.path, 'state')];
  const known = knownEffectsOptions(folder.path);
  const run = async (args: readonly string[], stdin = '') => {
    const { stdout, stderr } = await toolwharf([...args, ...state], { cwd: folder.path, stdin });
    outputs.push(stdout, stderr);
    return `${stdout}${stderr}`;
  };
  outputs.length = 0;
  await run(['secret', 'set', 'crate', 'crate_key'], values.crate.value);
  await run(['secret', 'set', 'shelf', 'SHELF_KEY', '--json'], values.shelf.value);
  // A secret in the wrong argument is not repeated in the error.
  await run(['secret', 'set', 'crate', 'crate_key', values.crate.value]);
  await run(['secret', values.crate.value]);
  for (const way of ways)
    await run(['call', 'crate/act', JSON.stringify({ text: way }), '--dir', '.', '-v', ...known]);
  await run(['call', 'shelf/act', '{"text":"crash"}', '--dir', '.', '--json', '-v']);
  await run(['info', 'crate', '-v']);
  await run(['list', '.', '--json']);
  await run(['secret', 'list', '--json']);
  await run(['audit', 'tail', '200', '--json']);
  const all = outputs.join('\n');
  expect(all).toContain('[redacted:crate_key]');
  expect(found(all)).toEqual([]);
  expect(found(filesBelow(join(folder.path, 'state')))).toEqual([]);
  folder.remove();
}, 60_000);

/** Packages whose secret is in a text, raw or in a common encoding. */
function found(text: string): string[] {
  return Object.entries(values).flatMap(([id, { value }]) => {
    const bytes = Buffer.from(value);
    const forms = [
      value,
      bytes.toString('latin1'),
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      bytes.toString('hex'),
      bytes.toString('base64').replace(/=+$/, '').slice(0, -2),
      bytes.toString('base64url').slice(0, -2),
    ];
    return forms.some((it) => text.includes(it)) ? [id] : [];
  });
}

function filesBelow(folder: string): string {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((it) => join(folder, it))
    .filter((it) => statSync(it).isFile())
    .map((it) => readFileSync(it, 'latin1'))
    .join('\n');
}
