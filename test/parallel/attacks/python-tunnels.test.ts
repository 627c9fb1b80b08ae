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
        return {"got": peer.recv(12).decode()}`,
  'connect on a socket': `
    import socket
    peer = socket.socket()
    peer.connect((host, port))
    peer.sendall(request)
    return {"got": peer.recv(12).decode()}`,
  'http.client': `
    import http.client
    connection = http.client.HTTPConnection(host, port, timeout=10)
    connection.request("GET", "/")
    return {"got": "HTTP/1.1 %d" % connection.getresponse().status}`,
  'urllib without a proxy': `
    import urllib.request
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return {"got": "HTTP/1.1 %d" % opener.open("http://%s:%d/" % (host, port), timeout=10).status}`,
  asyncio: `
    import asyncio
    async def fetch():
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(request)
        await writer.drain()
        return (await reader.read(12)).decode()
    return {"got": asyncio.run(asyncio.wait_for(fetch(), 10))}`,
  'a child process': `
    import subprocess, sys
    code = "import socket,sys; s=socket.create_connection((sys.argv[1], int(sys.argv[2])), 10); s.sendall(sys.argv[3].encode()); print(s.recv(12).decode(), end='')"
    done = subprocess.run([sys.executable, "-c", code, host, str(port), request.decode()], capture_output=True, text=True)
    return {"got": done.stdout or done.stderr[-300:]}`,
};

function tool(name: string, code: string, network: boolean): string {
  const body = `    host, _, port = text.rpartition(":")
    port = int(port)
    request = b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"
    try:
        return run(host, port, request)
    except OSError as error:
        return {"failed": "%s: %s" % (type(error).__name__, error)}`;
  return patchTool({ name, body })
    .replace('network: false', `network: ${network}`)
    .replace('def main(', `def run(host, port, request):${code}\n\n\ndef main(`);
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

const call = async (name: string, target: string, allow: readonly string[] = []) => {
  const session = await host.session({ directories: [folder.path], allow });
  return session.call({ tool: name, arguments: { text: target } });
};

describe.each(Object.keys(clients).map((it, index) => [it, index] as const))('%s', (_name, index) => {
  test('reaches a granted address and a granted name', async () => {
    const grants = [`net:127.0.0.1:${server.port}`, `net:localhost:${server.port}`];
    for (const target of [`127.0.0.1:${server.port}`, `localhost:${server.port}`]) {
      expect(await call(`open_${index}`, target, grants), target).toMatchObject({
        status: 'ok',
        result: { got: 'HTTP/1.1 200' },
      });
    }
  });

  test('reaches no private address without a grant, and the request does not arrive', async () => {
    const before = server.requests.length;
    const answer = await call(`open_${index}`, `127.0.0.1:${server.port}`);
    expect(JSON.stringify(answer)).not.toContain('HTTP/1.1 200');
    for (const target of ['10.255.255.1:80', '169.254.169.254:80', '[::1]:80'.replace(/[[\]]/g, '')]) {
      const denied = await call(`open_${index}`, target);
      expect(JSON.stringify(denied), target).not.toContain('HTTP/1.1 200');
      expect(JSON.stringify(denied), target).not.toContain('timed out');
    }
    expect(server.requests.length).toBe(before);
  });

  test('reaches nothing if the manifest asks for no network', async () => {
    const before = server.requests.length;
    const answer = await call(`closed_${index}`, `127.0.0.1:${server.port}`, [
      `net:127.0.0.1:${server.port}`,
    ]);
    expect(JSON.stringify(answer)).not.toContain('HTTP/1.1 200');
    expect(server.requests.length).toBe(before);
  });
});

test('a server that speaks first is heard, and a denied connection says why', async () => {
  const { port } = silent.address() as { port: number };
  const heard = await call('open_0', `127.0.0.1:${port}`, [`net:127.0.0.1:${port}`]);
  expect(heard).toMatchObject({ status: 'ok', result: { got: '220 hello\r\n' } });
  const denied = await call('open_0', '10.255.255.1:443');
  expect(denied).toMatchObject({
    status: 'ok',
    result: { failed: expect.stringContaining('PermissionError') },
  });
  expect(JSON.stringify(denied)).toContain('10.255.255.1');
});
