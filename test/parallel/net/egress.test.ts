// Network access of a real sandbox through relay and proxy, with unmodified Python, Node and curl.
// Every listener is on loopback, and the test itself resolves every name.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import { type EgressPolicy, type EgressProxy, openEgress } from '../../../src/net/egress.js';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { proxyEnvironment, withRelay } from '../../../src/sandbox/relay/relay.js';
import { defaultSandboxLimits, type ProcessExit } from '../../../src/sandbox/sandbox.js';
import { workingLevel } from '../../support/control-group.js';

const sandbox = bubblewrap();
const megabyte = 1024 * 1024;
let folder: string;
let plain: number;
let secure: number;
const servers: Server[] = [];
const proxies: EgressProxy[] = [];

const answer: RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://here');
  if (url.pathname === '/redirect')
    response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end();
  else if (url.pathname === '/large') {
    const chunk = Buffer.alloc(megabyte, 'x');
    let left = Number(url.searchParams.get('megabytes'));
    const more = () => {
      while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', more);
      response.end();
    };
    more();
  } else if (url.pathname === '/endless') {
    const timer = setInterval(() => response.write('x'), 10);
    response.once('close', () => clearInterval(timer));
  } else if (url.pathname === '/count') {
    let size = 0;
    request.on('data', (chunk: Buffer) => (size += chunk.length));
    request.on('end', () => response.end(`counted ${size}`));
  } else if (url.pathname === '/wait') setTimeout(() => response.end('waited'), 300);
  else response.end(`hello from ${request.headers.host}${url.pathname}`);
};

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  expect(await sandbox.probe()).toMatchObject({ level: workingLevel });
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-egress-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'trust'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'trust', 'ca.pem')];
  execFileSync(
    '/usr/bin/openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      .concat(['-keyout', key, '-out', certificate, '-subj', '/CN=toolwharf test'])
      .concat(['-addext', 'subjectAltName=DNS:api.example.test,DNS:other.example.test']),
    { stdio: 'ignore' },
  );
  chmodSync(certificate, 0o644);
  plain = await listen(createServer(answer));
  secure = await listen(createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answer));
});

afterEach(async () => {
  for (const it of proxies.splice(0)) await it.close();
});

afterAll(async () => {
  for (const it of servers) {
    it.closeAllConnections();
    await new Promise((resolve) => it.close(resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

let sockets = 0;

async function proxy(
  names: readonly string[],
  options: Partial<EgressPolicy> = {},
  active = true,
): Promise<EgressProxy> {
  const hosts = names.flatMap((host) => [plain, secure].map((port) => ({ host, port })));
  const made = await openEgress({
    socket: join(folder, `s${sockets++}`),
    policy: { reach: { hosts, granted: hosts }, anyPublic: false, holdsSecret: false, ...options },
    resolve: async (host) => {
      if (host.endsWith('.test')) return ['127.0.0.1'];
      throw new Error('no such name');
    },
    active,
  });
  proxies.push(made);
  return made;
}

interface Outcome extends ProcessExit {
  readonly out: string;
  readonly err: string;
}

const trust = {
  SSL_CERT_FILE: '/trust/ca.pem',
  NODE_EXTRA_CA_CERTS: '/trust/ca.pem',
  CURL_CA_BUNDLE: '/trust/ca.pem',
};

async function run(
  argv: readonly string[],
  egress: EgressProxy | null,
  input = '',
  processes = defaultSandboxLimits.processes,
): Promise<Outcome> {
  const child = sandbox.spawn({
    argv,
    directory: '/tmp',
    environment: { PATH: '/usr/bin:/bin', HOME: '/tmp', ...trust },
    mounts: [{ source: join(folder, 'trust'), target: '/trust', writable: false }],
    hidden: [],
    limits: { ...defaultSandboxLimits, processes },
    limitAddressSpace: false,
    egress: egress?.socket ?? null,
  });
  child.stdin.end(input);
  const [out, err] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { ...(await child.exited), out, err };
}

async function read(stream: AsyncIterable<unknown>): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += String(chunk);
  return all;
}

const python = (code: string) => ['/usr/bin/python3', '-c', code];
const node = (code: string) => ['/usr/bin/node', '-e', code];
const module = (code: string) => ['/usr/bin/node', '--input-type=module', '-e', code];

/** Ways to fetch a URL. Each prints the body, or the error that it got. */
const clients: Record<string, (url: string) => string[]> = {
  'python urllib': (url) =>
    python(`
import urllib.request, urllib.error
try: print(urllib.request.urlopen('${url}', timeout=20).read().decode())
except urllib.error.HTTPError as e: print('ERROR', e.code, e.read().decode())
except Exception as e: print('ERROR', e)`),
  curl: (url) => ['/usr/bin/curl', '-sS', '--max-time', '20', '--fail-with-body', '-v', url],
  'node fetch': (url) =>
    node(`fetch('${url}').then(async (r) => console.log(r.ok ? '' : 'ERROR', await r.text()))
      .catch((e) => console.log('ERROR', e.message, e.cause))`),
  'node http and https': (url) =>
    node(`require('${new URL(url).protocol.slice(0, -1)}').get('${url}', (r) => {
      if (r.statusCode !== 200) process.stdout.write('ERROR ');
      r.pipe(process.stdout);
    }).on('error', (e) => console.log('ERROR', e.message))`),
  'node modules with an agent of their own': (url) =>
    module(`import * as lib from 'node:${new URL(url).protocol.slice(0, -1)}';
      const agent = new lib.Agent({ keepAlive: true });
      const once = () => new Promise((resolve) => lib.request(new URL('${url}'), { agent }, (r) => {
        let all = r.statusCode === 200 ? '' : 'ERROR ';
        r.on('data', (c) => (all += c)).on('end', () => resolve(all));
      }).on('error', (e) => resolve('ERROR ' + e.message)).end());
      const [first] = [await once(), await once()];
      console.log(first);
      agent.destroy();`),
};

describe.each(Object.entries(clients))('network client %s', (_name, get) => {
  test.each(['http', 'https'])('reaches an allowed host over %s and no other host', async (scheme) => {
    const through = await proxy(['api.example.test']);
    const port = scheme === 'http' ? plain : secure;
    const good = await run(get(`${scheme}://api.example.test:${port}/path`), through);
    expect(`${good.out}${good.err}`).toContain(`hello from api.example.test:${port}/path`);
    expect(good.out).not.toContain('ERROR');
    expect(through.takeDenied()).toEqual([]);
    const bad = await run(get(`${scheme}://other.example.test:${port}/`), through);
    expect(`${bad.out}${bad.err}`).toContain(`--allow net:other.example.test:${port}`);
    expect(bad.out).not.toContain('hello');
    expect(through.takeDenied()).toMatchObject([{ host: 'other.example.test', port }]);
    // Control: only the list of hosts was in the way.
    const wider = await proxy(['other.example.test']);
    const control = await run(get(`${scheme}://other.example.test:${port}/`), wider);
    expect(control.out).toContain('hello from other.example.test');
  });

  test('is checked again after a redirect, and loopback addresses go through the proxy too', async () => {
    const through = await proxy(['api.example.test']);
    const to = encodeURIComponent(`http://other.example.test:${plain}/`);
    const moved = await run(get(`http://api.example.test:${plain}/redirect?to=${to}`), through);
    expect(moved.out).not.toContain('hello');
    const here = await run(get(`http://127.0.0.1:${plain}/`), through);
    expect(here.out).not.toContain('hello');
    expect(through.takeDenied()).toContainEqual(expect.objectContaining({ host: '127.0.0.1', port: plain }));
  });

  test('gets an error while no call is running', async () => {
    const through = await proxy(['api.example.test'], {}, false);
    const { out, err } = await run(get(`https://api.example.test:${secure}/`), through);
    expect(`${out}${err}`).toContain('no call is running');
    expect(through.takeDenied()).toEqual([]);
  });
});

/** Ways to fetch a URL with Python that ignore proxy variables. */
const direct: Record<string, (scheme: string, host: string, port: number) => string[]> = {
  'http.client': (scheme, host, port) =>
    python(`
import http.client
connection = http.client.${scheme === 'http' ? 'HTTPConnection' : 'HTTPSConnection'}('${host}', ${port}, timeout=20)
try:
    connection.request('GET', '/path')
    print(connection.getresponse().read().decode())
except OSError as e: print('ERROR', e)`),
  asyncio: (scheme, host, port) =>
    python(`
import asyncio, ssl
async def fetch():
    context = ssl.create_default_context() if '${scheme}' == 'https' else None
    reader, writer = await asyncio.open_connection('${host}', ${port}, ssl=context)
    writer.write(b'GET /path HTTP/1.1\\r\\nHost: ${host}:${port}\\r\\nConnection: close\\r\\n\\r\\n')
    return (await reader.read()).decode()
async def several():
    return await asyncio.gather(*[fetch() for _ in range(5)])
try: print(asyncio.run(several())[0])
except OSError as e: print('ERROR', e)`),
  'a socket without blocking': (scheme, host, port) =>
    python(`
import socket, ssl
address = socket.getaddrinfo('${host}', ${port}, type=socket.SOCK_STREAM)[0][4]
peer = socket.socket()
peer.setblocking(False)
try:
    peer.connect(address)
    peer.setblocking(True)
    if '${scheme}' == 'https': peer = ssl.create_default_context().wrap_socket(peer, server_hostname='${host}')
    peer.sendall(b'GET /path HTTP/1.1\\r\\nHost: ${host}:${port}\\r\\nConnection: close\\r\\n\\r\\n')
    print(b''.join(iter(lambda: peer.recv(4096), b'')).decode())
except OSError as e: print('ERROR', e)`),
};

describe.each(Object.entries(direct))('python %s, which ignores proxy variables,', (_name, get) => {
  test.each(['http', 'https'])('reaches an allowed host over %s and no other host', async (scheme) => {
    const port = scheme === 'http' ? plain : secure;
    const through = await proxy(['api.example.test'], { holdsSecret: true });
    const good = await run(get(scheme, 'api.example.test', port), through);
    expect(`${good.out}${good.err}`).toContain(`hello from api.example.test:${port}/path`);
    expect(through.takeDenied()).toEqual([]);
    const bad = await run(get(scheme, 'other.example.test', port), through);
    expect(`${bad.out}${bad.err}`).toContain(`--allow net:other.example.test:${port}`);
    expect(bad.out).not.toContain('hello');
    expect(through.takeDenied()[0]).toMatchObject({ host: 'other.example.test', port });
  });
});

test('two sandboxes with different host lists run at the same time', async () => {
  const lists = ['api.example.test', 'other.example.test'];
  const both = await Promise.all(lists.map((it) => proxy([it])));
  const get = clients['python urllib'] as (url: string) => string[];
  const runs = await Promise.all(
    both.flatMap((through) => lists.map((name) => run(get(`https://${name}:${secure}/`), through))),
  );
  expect(runs.map((it) => it.out.includes('hello'))).toEqual([true, false, false, true]);
  expect(both.map((it) => it.takeDenied().map(({ host }) => host))).toEqual([[lists[1]], [lists[0]]]);
});

test('the proxy is the only way out of the sandbox', async () => {
  const through = await proxy(['api.example.test']);
  const code = `
import socket
for target in (('127.0.0.1', ${plain}), ('127.0.0.1', ${secure})):
    try:
        socket.create_connection(target, 2)
        print('REACHED')
    except OSError as e: print('no', e.errno)
try: print('REACHED', socket.getaddrinfo('api.example.test', 443))
except OSError: print('no name')
s = socket.socket(socket.AF_UNIX); s.connect('/run/toolwharf/egress.sock')
s.send(b'CONNECT other.example.test:${secure} HTTP/1.1\\r\\n\\r\\n'); print(s.recv(100).decode())`;
  // With -I, Python does not load the file that opens tunnels.
  const { out } = await run(['/usr/bin/python3', '-I', '-c', code], through);
  expect(out).toMatch(/^no 111\nno 111\nno name\nHTTP\/1\.1 403 /);
});

test('a tool gets the reason of a denied request even while it sends a large body', async () => {
  const through = await proxy(['api.example.test']);
  const code = `
import urllib.request, urllib.error
try: urllib.request.urlopen('http://other.example.test:${plain}/count', b'x' * 80000000)
except urllib.error.HTTPError as e: print(e.code, e.read().decode())`;
  const { out, err } = await run(python(code), through);
  expect(`${out}${err}`).toContain(`--allow net:other.example.test:${plain}`);
});

test('npm uses the proxy through its own settings', async () => {
  const through = await proxy(['api.example.test']);
  for (const [scheme, port] of [
    ['http', plain],
    ['https', secure],
  ] as const) {
    const ping = (host: string) => [
      '/usr/bin/npm',
      'ping',
      '--fetch-retries=0',
      '--cafile=/trust/ca.pem',
      `--registry=${scheme}://${host}:${port}/`,
    ];
    const good = await run(ping('api.example.test'), through);
    expect(good.err).toContain('PONG');
    const bad = await run(ping('other.example.test'), through);
    expect(bad.code).not.toBe(0);
    expect(through.takeDenied()).toMatchObject([{ host: 'other.example.test', port }]);
  }
});

test('the proxy verifies the certificate of an https URL that a client sends to it', async () => {
  const bundle = join(folder, 'egress.mjs');
  await bundleModule(
    "export { openEgress } from './src/net/egress.ts'",
    join(import.meta.dirname, '../../..'),
    bundle,
  );
  const script = `
    import { request } from 'node:http';
    import { openEgress } from ${JSON.stringify(bundle)};
    const hosts = [{ host: 'api.example.test', port: ${secure} }];
    const socket = ${JSON.stringify(join(folder, 'absolute'))};
    const proxy = await openEgress({
      socket,
      policy: { reach: { hosts, granted: hosts }, anyPublic: false, holdsSecret: true },
      resolve: async () => ['127.0.0.1'],
    });
    const path = 'https://api.example.test:${secure}/path';
    const response = await new Promise((resolve, reject) =>
      request({ socketPath: socket, path }, resolve).on('error', reject).end());
    let body = '';
    for await (const chunk of response) body += chunk;
    console.log(response.statusCode, body);
    await proxy.close();`;
  const asked = async (environment: Record<string, string>) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env: environment });
    return read(child.stdout);
  };
  expect(await asked({ NODE_EXTRA_CA_CERTS: join(folder, 'trust', 'ca.pem') })).toBe(
    `200 hello from api.example.test:${secure}/path\n`,
  );
  expect(await asked({})).toMatch(/^502 .*DEPTH_ZERO_SELF_SIGNED_CERT/);
});

describe('the launcher', () => {
  test('does not change exit status, signals, streams, environment and child processes', async () => {
    const through = await proxy([]);
    expect(await run(['/bin/sh', '-c', 'exit 7'], through)).toMatchObject({ code: 7 });
    // bubblewrap reports a signal like a shell does.
    expect(await run(['/bin/sh', '-c', 'kill -TERM $$'], through)).toMatchObject({ code: 143 });
    expect(await run(['/bin/cat'], through, 'in and out')).toMatchObject({ code: 0, out: 'in and out' });
    expect(await run(['/no/such/file'], through)).toMatchObject({ code: 127 });
    const script = `
import os
print(sorted(os.listdir('/proc/self/fd')))
print(sorted(os.environ))
try: os.wait()
except ChildProcessError: print('no child')`;
    const [withIt, without] = [await run(python(script), through), await run(python(script), null)];
    const ignored = ['/bin/grep', 'SigIgn', '/proc/self/status'];
    expect((await run(ignored, through)).out).toBe((await run(ignored, null)).out);
    const [first, environment, child] = withIt.out.split('\n');
    expect([first, child]).toEqual([without.out.split('\n')[0], 'no child']);
    expect(environment).toBe(
      `[${[
        ...Object.keys(trust),
        ...Object.keys(proxyEnvironment()),
        'PYTHONPATH',
        'HOME',
        'PATH',
        'PWD',
        'LC_CTYPE',
      ]
        .sort()
        .map((it) => `'${it}'`)
        .join(', ')}]`,
    );
  });

  test('ends when the command ends, even if the command leaves processes behind', async () => {
    const through = await proxy(['api.example.test']);
    const started = performance.now();
    await run(['/bin/sh', '-c', 'sleep 30 >/dev/null 2>&1 </dev/null & exit 0'], through);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('works with a small process limit', async () => {
    const through = await proxy(['api.example.test']);
    const get = clients['python urllib'] as (url: string) => string[];
    const { out } = await run(get(`https://api.example.test:${secure}/`), through, '', 4);
    expect(out).toContain('hello');
  });
});

/** Both launchers run outside of the sandbox here, so the test replaces socket path and port in their arguments. */
describe.each([
  ['python', (path: string) => path === '/usr/bin/python3'],
  ['node', (path: string) => path === '/usr/bin/node'],
] as const)('the relay in %s', (_language, exists) => {
  async function through(egress: EgressProxy, port: number, argv: readonly string[]): Promise<Outcome> {
    const [program, ...args] = withRelay(argv, exists).map((it) =>
      it === '/run/toolwharf/egress.sock' ? egress.socket : it === '3128' ? String(port) : it,
    );
    const here = `http://127.0.0.1:${port}`;
    const child = spawn(program as string, args, {
      ...(process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : {}),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', http_proxy: here, https_proxy: here, ...outside() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'close');
    const [out, err] = await Promise.all([read(child.stdout), read(child.stderr)]);
    const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
    return { code, signal, out, err };
  }
  const outside = () => ({
    SSL_CERT_FILE: join(folder, 'trust', 'ca.pem'),
    CURL_CA_BUNDLE: join(folder, 'trust', 'ca.pem'),
  });
  async function free(): Promise<number> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test('transfers 100 MB in each direction', async () => {
    const egress = await proxy(['api.example.test']);
    const code = `
import urllib.request, hashlib
r = urllib.request.urlopen('https://api.example.test:${secure}/large?megabytes=100'); n = 0
while True:
    c = r.read(1 << 20)
    if not c: break
    n += len(c)
print('got', n)
print(urllib.request.urlopen('http://api.example.test:${plain}/count', b'x' * ${100 * megabyte}).read().decode())`;
    const { out, err } = await through(egress, await free(), python(code));
    expect(`${out}${err}`).toBe(`got ${100 * megabyte}\ncounted ${100 * megabyte}\n`);
  });

  test('transfers 64 connections at the same time', async () => {
    const egress = await proxy(['api.example.test']);
    const code = `
import urllib.request, threading, time
done = []
def get(i): done.append(urllib.request.urlopen('https://api.example.test:${secure}/wait').read())
started = time.time()
threads = [threading.Thread(target=get, args=(i,)) for i in range(64)]
for t in threads: t.start()
for t in threads: t.join()
print(len(done), set(done))`;
    const { out, err } = await through(egress, await free(), python(code));
    expect(`${out}${err}`).toBe("64 {b'waited'}\n");
  });

  test('closes each direction of a connection on its own', async () => {
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let size = 0;
      socket.on('error', () => {});
      socket.on('data', (chunk) => (size += chunk.length));
      socket.on('end', () => socket.end(`counted ${size} `.repeat(100_000)));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: target } = server.address() as AddressInfo;
    const hosts = [{ host: 'half.example.test', port: target }];
    const egress = await proxy([], { reach: { hosts, granted: hosts } });
    const port = await free();
    const code = `
import socket
s = socket.create_connection(('127.0.0.1', ${port}))
s.sendall(b'CONNECT half.example.test:${target} HTTP/1.1\\r\\n\\r\\n')
print(s.recv(100).split()[1])
s.sendall(b'x' * 1000000)
s.shutdown(socket.SHUT_WR)
read = b''
while True:
    c = s.recv(65536)
    if not c: break
    read += c
print(read == b'counted 1000000 ' * 100000)`;
    const { out, err } = await through(egress, port, python(code));
    await new Promise((resolve) => server.close(resolve));
    expect(`${err}${out}`).toBe("b'200'\nTrue\n");
  });

  test('ends an endless response when the client closes, and exits with the command', async () => {
    const egress = await proxy(['api.example.test']);
    const port = await free();
    const url = `http://api.example.test:${plain}/endless`;
    const { code } = await through(egress, port, ['/usr/bin/curl', '-s', '--max-time', '1', url]);
    expect(code).toBe(28);
    // Nothing listens on the port any more.
    await expect.poll(() => listening(port), { timeout: 3000 }).toBe('refused');
  });

  test('passes on how the command ended', async () => {
    const egress = await proxy([]);
    expect(await through(egress, await free(), ['/bin/sh', '-c', 'exit 9'])).toMatchObject({ code: 9 });
    expect(await through(egress, await free(), ['/bin/sh', '-c', 'kill -KILL $$'])).toMatchObject({
      signal: 'SIGKILL',
    });
    expect(await through(egress, await free(), ['/no/such'])).toMatchObject({ code: 127 });
  });
});

function listening(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve('refused'));
    socket.once('connect', () => {
      socket.destroy();
      resolve('taken');
    });
  });
}

describe('the Node preload script', () => {
  test('streams bodies, supports abort, and reports errors correctly', async () => {
    const through = await proxy(['api.example.test']);
    const code = `(async () => {
      for (const base of ['http://api.example.test:${plain}', 'https://api.example.test:${secure}']) {
        const pieces = { start(c) { for (let i = 0; i < 50; i++) c.enqueue(Buffer.alloc(65536)); c.close(); } };
        const body = new ReadableStream(pieces);
        console.log(await (await fetch(base + '/count', { method: 'POST', body, duplex: 'half' })).text());
        console.log((await (await fetch(base + '/large?megabytes=5')).arrayBuffer()).byteLength);
        const abort = new AbortController();
        const endless = await fetch(base + '/endless', { signal: abort.signal });
        setTimeout(() => abort.abort(), 50);
        console.log(await endless.text().catch((e) => e.name));
        const many = Array.from({ length: 30 }, () => fetch(base + '/x').then((r) => r.text()));
        console.log(new Set(await Promise.all(many)).size);
        const { request } = require(new URL(base).protocol.slice(0, -1));
        const length = ['Host', 'x', 'Content-Length', '3'];
        for (const headers of [{ expect: '100-continue' }, length, ['Expect', '100-continue', ...length]]) {
          await new Promise((resolve) => {
            const sent = request(base + '/count', { method: 'POST', headers }, (r) => {
              r.on('data', (d) => console.log(String(d))).on('end', resolve);
            });
            if (headers === length) return sent.end('abc');
            sent.on('continue', () => sent.end('abc'));
            sent.flushHeaders();
          });
        }
      }
    })()`;
    const { out, err } = await run(node(code), through);
    const once = `counted ${50 * 65536}\n${5 * megabyte}\nAbortError\n1\n${'counted 3\n'.repeat(3)}`;
    expect(`${err}${out}`).toBe(once + once);
  });

  test('does not trust a certificate that the program itself would not trust', async () => {
    const through = await proxy(['127.0.0.1']);
    const get = clients['node fetch'] as (url: string) => string[];
    expect((await run(get(`https://127.0.0.1:${secure}/`), through)).out).toContain(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
    const plainGet = clients['node http and https'] as (url: string) => string[];
    expect((await run(plainGet(`https://127.0.0.1:${secure}/`), through)).out).toMatch(/ERROR .*altnames/);
  });

  test('works from NODE_OPTIONS alone and does not touch Unix sockets', async () => {
    const through = await proxy(['api.example.test']);
    const code = `
      const http = require('http');
      http.createServer((q, s) => s.end('over a path to ' + q.url)).listen('/tmp/s', function () {
        http.get({ socketPath: '/tmp/s', path: '/' }, (r) => r.on('data', (d) => console.log(String(d))).on('end', () => this.close()));
      });
      fetch('https://api.example.test:${secure}/').then((r) => r.text()).then(console.log);`;
    const argv = ['/usr/bin/env', `NODE_OPTIONS=${proxyEnvironment().NODE_OPTIONS}`, ...node(code)];
    const { out } = await run(argv, through);
    expect(out).toContain('over a path to /\n');
    expect(out).toContain('hello from');
  });
});
