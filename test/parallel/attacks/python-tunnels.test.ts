// Python code that ignores proxy variables reaches the network through the proxy, with the same rules.
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../../src/index.js';
import { type LoopbackServer, loopbackServer, patchTool, temporaryFolder } from '../../support/toolwharf.js';

const clients: Readonly<Record<string, string>> = {
  socket: `
    import socket
    with socket.create_connection((host, port), timeout=10) as peer:
        peer.sendall(request)
        return peer.recv(12).decode()`,
  'connect on a socket': `
    import socket
    peer = socket.socket()
    peer.connect((host, port))
    peer.sendall(request)
    return peer.recv(12).decode()`,
  'http.client': `
    import http.client
    connection = http.client.HTTPConnection(host, port, timeout=10)
    connection.request("GET", "/")
    return "HTTP/1.1 %d" % connection.getresponse().status`,
  'urllib without a proxy': `
    import urllib.request
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return "HTTP/1.1 %d" % opener.open("http://%s:%d/" % (host, port), timeout=10).status`,
  asyncio: `
    import asyncio
    async def fetch():
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(request)
        await writer.drain()
        return (await reader.read(12)).decode()
    return asyncio.run(asyncio.wait_for(fetch(), 10))`,
  'a child process': `
    import subprocess, sys
    code = "import socket,sys; s=socket.create_connection((sys.argv[1], int(sys.argv[2])), 10); s.sendall(sys.argv[3].encode()); print(s.recv(12).decode(), end='')"
    done = subprocess.run([sys.executable, "-c", code, host, str(port), request.decode()], capture_output=True, text=True)
    return done.stdout or done.stderr[-300:]`,
};

function tool(name: string, code: string, network: boolean): string {
  const body = `    return {"answers": [attempt(it) for it in text.split()]}`;
  const attempt = `def attempt(target):
    host, _, port = target.rpartition(":")
    request = b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"
    try:
        return run(host, int(port), request)
    except OSError as error:
        return "%s: %s" % (type(error).__name__, error)`;
  return patchTool({ name, body })
    .replace('network: false', `network: ${network}`)
    .replace('def main(', `def run(host, port, request):${code}\n\n\n${attempt}\n\n\ndef main(`);
}

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let server: LoopbackServer;
let silent: Server;

beforeAll(async () => {
  const names = Object.keys(clients);
  folder = temporaryFolder(
    Object.fromEntries(
      names.flatMap((it, index) => [
        [`open_${index}.py`, tool(`open_${index}`, clients[it] as string, true)],
        [`closed_${index}.py`, tool(`closed_${index}`, clients[it] as string, false)],
      ]),
    ),
  );
  server = await loopbackServer((_request, response) => response.end('ok'));
  silent = createServer((socket) => socket.end('220 hello\r\n'));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  host = await createHost({ state: join(folder.path, 'state'), warm: false });
});
afterAll(async () => {
  await host.close();
  await server.close();
  silent.close();
  folder.remove();
});

/** What the client of a tool got from each of the targets. */
const answersOf = async (name: string, targets: readonly string[], allow: readonly string[] = []) => {
  const directories = [join(folder.path, `${name}.py`)];
  const session = await host.session({ directories, allow, sessionName: null });
  const answer = await session.call({ tool: name, arguments: { text: targets.join(' ') } });
  await session.close();
  if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
  return (answer.result as { answers: string[] }).answers;
};

describe.each(Object.keys(clients).map((it, index) => [it, index] as const))('%s', (_name, index) => {
  test('reaches granted hosts and no others, and nothing without network access', async () => {
    const { port } = server;
    const own = [`127.0.0.1:${port}`, `localhost:${port}`];
    const denied = ['10.255.255.1:80', '169.254.169.254:80', '::1:80'];
    const grants = own.map((it) => `net:${it}`);
    const before = server.requests.length;
    // The control: the same code, with the grant.
    const granted = await answersOf(`open_${index}`, [...own, ...denied], grants);
    expect(granted.slice(0, 2)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    for (const it of granted.slice(2)) expect(it).not.toMatch(/HTTP|timed out/);
    expect(server.requests.length).toBe(before + 2);
    for (const it of await answersOf(`open_${index}`, own)) expect(it).not.toContain('HTTP');
    for (const it of await answersOf(`closed_${index}`, own, grants)) expect(it).not.toContain('HTTP');
    expect(server.requests.length).toBe(before + 2);
  }, 30_000);
});

test('a server that speaks first is heard, and a denied connection says why', async () => {
  const { port } = silent.address() as { port: number };
  const targets = [`127.0.0.1:${port}`, '10.255.255.1:443'];
  const [heard, denied] = await answersOf('open_0', targets, [`net:127.0.0.1:${port}`]);
  expect(heard).toBe('220 hello\r\n');
  expect(denied).toMatch(/^PermissionError.*10\.255\.255\.1/);
});
