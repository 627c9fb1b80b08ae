// Programs in container images, with a real engine and a local image.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkContainers } from '../../../src/host/doctor/containers.js';
import { containerPackage, openContainerBench, shellAction } from '../../support/container-bench.js';
import { type LoopbackServer, loopbackServer, until } from '../../support/toolwharf.js';
import { failureOf, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const { containerBench, skipped } = openContainerBench();
const files = [{ resource: 'fs.local', actions: ['read', 'write'], rationale: 'To use the workspace.' }];
const network = [{ resource: 'net.outbound', actions: ['read'], rationale: 'To ask a server.' }];
const action = shellAction;

/** A minimal MCP server as a shell script: it initializes, lists one tool and answers its calls. */
const server = `
id() { echo "$1" | busybox sed -n 's/.*"id":\\("[^"]*"\\|[0-9]*\\).*/\\1/p'; }
while read -r line; do
  case "$line" in
    *'"method":"initialize"'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$(id "$line"),\\"result\\":{\\"protocolVersion\\":\\"2025-06-18\\",\\"capabilities\\":{\\"tools\\":{}},\\"serverInfo\\":{\\"name\\":\\"s\\",\\"version\\":\\"1\\"}}}" ;;
    *'"method":"tools/list"'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$(id "$line"),\\"result\\":{\\"tools\\":[{\\"name\\":\\"hello\\",\\"description\\":\\"Say hello.\\",\\"inputSchema\\":{\\"type\\":\\"object\\",\\"properties\\":{}}}]}}" ;;
    *'"method":"tools/call"'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$(id "$line"),\\"result\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"hello from uid $(busybox id -u)\\"}]}}" ;;
    *'"id":'*) echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$(id "$line"),\\"error\\":{\\"code\\":-32601,\\"message\\":\\"no\\"}}" ;;
  esac
done
`;

describe.skipIf(skipped !== '')(`containers${skipped}`, () => {
  let bench: Workbench;
  let listener: LoopbackServer;

  beforeAll(async () => {
    const image = containerBench.image;
    const command = ['sh'];
    listener = await loopbackServer((_request, response) => void response.end('from outside'));
    bench = await workbench({
      'shell/toolspace.json': containerPackage({ id: 'shell', image, command, actions: [action] }),
      'files/toolspace.json': containerPackage({
        id: 'files',
        image,
        command,
        actions: [action],
        scopes: files,
      }),
      'net/toolspace.json': containerPackage({
        id: 'net',
        image,
        command,
        actions: [action],
        scopes: network,
      }),
      'json/toolspace.json': containerPackage({
        id: 'json',
        image,
        command: ['cat'],
        actions: [
          {
            name: 'echo',
            invocation: { kind: 'stdin-json', argv_template: ['-'] },
            output: { format: 'json' },
            input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          },
        ],
      }),
      'own/toolspace.json': containerPackage({
        id: 'own',
        image,
        command: ['/toolwharf/package/own.sh'],
        actions: [
          { ...action, invocation: { kind: 'subcommand', argv_template: ['-x', '${input.script}'] } },
        ],
      }),
      'own/own.sh': '#!/bin/sh\necho "$0 got $*"\n',
      'loose/toolspace.json': containerPackage({
        id: 'loose',
        image: 'localhost/toolwharf-test:1',
        command,
        actions: [action],
      }),
      'away/toolspace.json': containerPackage({
        id: 'away',
        image: `registry.example.com/tools/away@sha256:${'0123456789abcdef'.repeat(4)}`,
        command,
        actions: [action],
      }),
      'steer/toolspace.json': containerPackage({
        id: 'steer',
        image,
        command,
        actions: [action],
        env: [{ name: 'DOCKER_HOST', prompt: 'Where?', secret: false, required: true }],
      }),
      'mcp/toolspace.json': containerPackage({
        id: 'mcp',
        image,
        kind: 'mcp-stdio',
        command: ['sh', '/toolwharf/package/server.sh'],
        actions: [
          {
            name: 'hello',
            invocation: { kind: 'mcp-tool', tool_name: 'hello' },
            input: { type: 'object', properties: {} },
          },
        ],
      }),
      'mcp/server.sh': server,
    });
  });
  afterAll(async () => {
    await bench?.close();
    expect(containerBench.containers()).toEqual([]);
    containerBench.remove();
    await listener?.close();
  });
  const session = (allow: string[] = []) =>
    bench.session({ allow, policy: { containers: { engine: containerBench.engine } } });
  const run = async (tool: string, script: string) =>
    resultOf((await session()).call({ tool, arguments: { script } }));
  const state = async (id: string, engine = containerBench.engine) => {
    const open = await bench.session({ policy: { containers: { engine } } });
    const { packages } = await open.packages();
    return packages.find((it) => it.id === id);
  };

  test('a command replaces the entrypoint of the image and runs as an unprivileged user', async () => {
    expect(await run('shell/run', 'id -u; echo $HOME; cat /etc/hosts')).toMatch(
      /^65533\n\/tmp\n127\.0\.0\.1 localhost/,
    );
    expect((await state('shell'))?.sandbox).toBe('enforced');
  });

  test('arguments are args of the program, never options of the engine', async () => {
    expect(await run('own/run', 'a --privileged')).toBe('/toolwharf/package/own.sh got -x a --privileged\n');
  });

  test('standard input has the arguments as JSON, even if they are large', async () => {
    const text = 'x'.repeat(900_000);
    const open = await session();
    const result = await resultOf(open.call({ tool: 'json/echo', arguments: { text } }));
    expect(result).toEqual({ text });
  });

  test('the workspace is mounted at its own path, and written files stay', async () => {
    writeFileSync(join(bench.root, 'note.txt'), 'read me');
    expect(
      await run(
        'files/run',
        `cat ${bench.root}/note.txt; echo new > ${bench.root}/made.txt; cat ${bench.root}/made.txt`,
      ),
    ).toBe('read menew\n');
  });

  test('a program can reach only granted hosts, through the proxy', async () => {
    const open = await session([`net:127.0.0.1:${listener.port}`]);
    const script = `wget -q -O - http://127.0.0.1:${listener.port}/; wget -q -O - http://127.0.0.2:${listener.port}/ 2>&1 || echo denied`;
    const answer = await open.call({ tool: 'net/run', arguments: { script } });
    expect(await resultOf(answer)).toMatch(/^from outside.*denied\n$/s);
    expect(
      await run('net/run', `wget -q -O - http://127.0.0.1:${listener.port}/ 2>&1 || echo denied`),
    ).toMatch(/denied\n$/);
  });

  test('an MCP server in a container can be called like any other', async () => {
    const open = await session();
    expect(JSON.stringify(await resultOf(open.call({ tool: 'mcp/hello', arguments: {} })))).toContain(
      'hello from uid 65533',
    );
    // The engine may still be removing the containers of earlier calls.
    await expect.poll(() => containerBench.containers(), { timeout: 10_000 }).toHaveLength(1);
  });

  test('a container is removed after a timeout, and within two seconds after a kill', async () => {
    const open = await session();
    const before = containerBench.containers().length;
    const late = await failureOf(
      open.call({ tool: 'shell/run', arguments: { script: 'sleep 60' }, timeoutMs: 3000 }),
    );
    expect(late.code).toBe('timeout');
    await until(() => containerBench.containers().length === before);
    const call = open.call({ tool: 'shell/run', arguments: { script: 'sleep 60' } });
    await until(() => containerBench.containers().length > before);
    const started = performance.now();
    await bench.host.kills.set('shell', 'test');
    expect((await failureOf(call)).code).toBe('killed');
    await until(() => containerBench.containers().length === before);
    expect(performance.now() - started).toBeLessThan(2000);
    await bench.host.kills.lift('shell', 'test');
  });

  test('a package is unavailable without an image digest, and needs setup without its image', async () => {
    const loose = await state('loose');
    expect(loose?.state).toBe('unavailable');
    expect(loose?.reasons.join()).toMatch(/has no digest.*image inspect/);
    const away = await state('away');
    expect(away?.state).toBe('needs-setup');
    expect(away?.reasons.join()).toMatch(/is not on this machine.*toolwharf install .*away/);
    const failed = await failureOf((await session()).call({ tool: 'away/run', arguments: { script: 'id' } }));
    expect(failed.code).toBe('needs_setup');
  });

  test('a package that sets a variable of the container engine is unavailable', async () => {
    const steer = await state('steer');
    expect(steer?.state).toBe('unavailable');
    expect(steer?.reasons.join()).toContain('DOCKER_HOST, which controls the container engine');
  });

  test('without an engine a package is unavailable, and the reason says what to install', async () => {
    const none = await state('shell', '/nowhere/podman');
    expect(none?.state).toBe('unavailable');
    expect(none?.reasons.join()).toMatch(
      /no container engine is installed on this machine.*apt-get install podman/,
    );
    const open = await bench.session({ policy: { containers: { engine: '/nowhere/podman' } } });
    expect((await failureOf(open.call({ tool: 'shell/run', arguments: { script: 'id' } }))).code).toBe(
      'runtime_missing',
    );
  });

  test('if the default runtime of the engine does not work, another runtime is used', async () => {
    const found = await state('shell', containerBench.bare);
    expect([found?.state, found?.reasons]).toEqual(['ready', []]);
  });

  test('doctor tests isolation in a container, or says what is missing', async () => {
    expect(await checkContainers({ engine: containerBench.bare })).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^podman \d+.* isolates containers \(tested from inside\)$/),
    });
    expect(await checkContainers({ engine: '/nowhere/podman' })).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('apt-get install podman'),
    });
    expect(await checkContainers({ engine: '/bin/true' })).toMatchObject({ status: 'warn' });
  });

  test('a session with an invalid engine name is rejected', async () => {
    const odd = bench.session({ policy: { containers: { engine: '--help' } } });
    await expect(odd).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('an engine that does not isolate containers is not used', async () => {
    // The same engine behind a script that removes the isolation options.
    const careless = join(containerBench.folder, 'careless');
    const script = `#!/bin/sh\nfor a do shift; case "$a" in --read-only|--cap-drop) ;; ALL) ;; *) set -- "$@" "$a" ;; esac; done\nexec ${containerBench.engine} "$@"\n`;
    writeFileSync(careless, script, { mode: 0o755 });
    const found = await state('shell', careless);
    expect(found?.state).toBe('unavailable');
    expect(found?.reasons.join()).toMatch(/the root filesystem of the image is writable/);
    expect(found?.reasons.join()).toMatch(/the process keeps Linux capabilities/);
  });
});
