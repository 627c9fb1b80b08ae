// Prestarted sandboxes: each one serves one call, and a tool cannot tell the difference.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { HostOptions, JsonObject, Session } from '../../../src/index.js';
import { pause, running, waiting } from '../../support/processes.js';
import { loopbackServer } from '../../support/toolwharf.js';
import {
  type Files,
  makeAnew,
  pythonTool,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const benches: Workbench[] = [];

async function open(files: Files, options: Partial<HostOptions> = {}): Promise<Workbench> {
  const made = await workbench(files, options);
  benches.push(made);
  return made;
}

afterEach(async () => {
  for (const it of benches.splice(0)) {
    await it.close();
    expect(it.bugs).toEqual([]);
  }
});

const call = (of: Session, tool: string, text?: string) =>
  of.call({ tool, arguments: text === undefined ? {} : { text } });

/** Returns the files it finds and the age of its process, and leaves files behind. */
const counting: Files = {
  'counting.py': pythonTool({
    name: 'counting',
    head: ['calls = 0'],
    body: [
      'global calls',
      'calls += 1',
      'found = [calls, os.listdir("/tmp"), os.listdir("/dev/shm")]',
      'open("/tmp/trace", "w").write(text)',
      'open("/dev/shm/trace", "w").write(text)',
      'started = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])',
      'age = float(open("/proc/uptime").read().split()[0]) - started / os.sysconf("SC_CLK_TCK")',
      'return {"found": found, "age": age}',
    ],
  }),
};

/** A program that does something before it reads its input. A Patch tool must not do that. */
const hasty = (early: readonly string[], scopes: readonly JsonObject[]): Files => ({
  'hasty/toolspace.json': toolspace({
    id: 'hasty',
    command: ['python3', 'hasty.py'],
    scopes,
    actions: [
      { name: 'run', invocation: { kind: 'stdin-json', argv_template: [] }, output: { format: 'json' } },
    ],
  }),
  'hasty/hasty.py': `import json, sys, urllib.request
${early.join('\n')}
sys.stdin.read()
print(json.dumps(found))
`,
});

test('a prestarted sandbox serves one call, and every call starts with a clean state', async () => {
  const bench = await open(counting);
  const session = await bench.session();
  for (let index = 0; index < 6; index++) {
    expect(await resultOf(call(session, 'counting', 'left here'))).toMatchObject({ found: [1, [], []] });
    await waiting();
  }
});

test('the second call is answered by a process that was started before the call', async () => {
  const bench = await open(counting);
  const session = await bench.session();
  const first = (await resultOf(call(session, 'counting', ''))) as { age: number };
  const ready = await waiting();
  await pause(1000);
  const second = (await resultOf(call(session, 'counting', ''))) as { age: number };
  expect(second.age - first.age).toBeGreaterThan(0.8);
  expect(await waiting()).not.toEqual(ready);
});

test('no sandbox is prestarted for a writable workspace or with warm: false', async () => {
  const files = {
    'writes.py': pythonTool({ name: 'writes', filesystem: 'read-write', body: ['return {}'] }),
    'reads.py': pythonTool({ name: 'reads', filesystem: 'read-only', body: ['return {}'] }),
  };
  const bench = await open(files);
  const session = await bench.session();
  await resultOf(call(session, 'writes'));
  await pause(300);
  expect(running()).toEqual([]);
  // Control: the same tool with read-only access is prestarted.
  await resultOf(call(session, 'reads'));
  await waiting();
  const short = await open(files, { warm: false });
  await resultOf(call(await short.session(), 'reads'));
  await pause(300);
  expect(running()).toHaveLength(1);
});

test('a sandbox with a secret is never prestarted', async () => {
  const token = pythonTool({
    name: 'token',
    body: ['return {"has": "PATCH_ACCESS_TOKEN" in os.environ}'],
  }).replace('# runtime:', '# external_auth: ["gmail.read"]\n# runtime:');
  const bench = await open({ 'token.py': token, ...counting });
  const session = await bench.session({
    allow: ['env:PATCH_ACCESS_TOKEN'],
    environment: { PATCH_ACCESS_TOKEN: 'a-token-of-the-test' },
  });
  expect(await resultOf(call(session, 'token'))).toEqual({ has: true });
  await pause(400);
  expect(running()).toEqual([]);
  await resultOf(call(session, 'counting', ''));
  expect(await waiting(), 'control').toHaveLength(1);
});

test('a prestarted sandbox is not passed from one caller to another', async () => {
  const bench = await open(counting);
  const [ada, bob] = [await bench.session({ principal: 'ada' }), await bench.session({ principal: 'bob' })];
  await resultOf(call(ada, 'counting', ''));
  const [adas] = await waiting();
  await resultOf(call(bob, 'counting', ''));
  expect(await waiting(2)).toContain(adas);
});

test('a program that uses the network before it reads its input behaves the same', async () => {
  const server = await loopbackServer((_request, response) => response.end('fresh'));
  try {
    const early = [
      'try:',
      `    found = urllib.request.urlopen("http://127.0.0.1:${server.port}/", timeout=5).read().decode()`,
      'except Exception as error:',
      '    found = "denied"',
    ];
    const scope = { resource: 'net.outbound', actions: ['read'], rationale: 'It asks a server.' };
    const bench = await open(hasty(early, [scope]));
    const session = await bench.session({ allow: [`net:127.0.0.1:${server.port}`] });
    expect(await resultOf(call(session, 'hasty'))).toBe('fresh');
    await pause(1000);
    // Nothing is sent before the call.
    expect(server.requests).toHaveLength(1);
    expect(await resultOf(call(session, 'hasty'))).toBe('fresh');
  } finally {
    await server.close();
  }
});

test('a program that reads a file before it reads its input behaves the same', async () => {
  const scope = { resource: 'fs.local', actions: ['read'], rationale: 'It reads its settings.' };
  const bench = await open(hasty([], [scope]));
  bench.write({
    'hasty/hasty.py': `import json, sys
found = open("${bench.root}/settings").read()
sys.stdin.read()
print(json.dumps(found))
`,
  });
  writeFileSync(join(bench.root, 'settings'), 'old');
  const session = await bench.session();
  expect(await resultOf(call(session, 'hasty'))).toBe('old');
  await pause(1000);
  writeFileSync(join(bench.root, 'settings'), 'new');
  expect(await resultOf(call(session, 'hasty'))).toBe('new');
});

test('a prestarted sandbox sees the workspace as it is at the time of the call', async () => {
  const bench = await open({
    'list.py': pythonTool({
      name: 'list',
      filesystem: 'read-only',
      body: ['return {"all": os.listdir(".")}'],
    }),
  });
  const root = join(bench.path, 'moving');
  makeAnew(root, 'old.txt');
  const session = await bench.session({ root });
  expect(await resultOf(call(session, 'list'))).toEqual({ all: ['old.txt'] });
  await waiting();
  makeAnew(root, 'new.txt');
  expect(await resultOf(call(session, 'list'))).toEqual({ all: ['new.txt'] });
});
