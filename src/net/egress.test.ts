import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { parseClientHello } from './client-hello.js';
import { allowedAddresses, parseDestination, type Resolve } from './destination.js';
import { type EgressOptions, type EgressPolicy, type EgressProxy, openEgress } from './egress.js';
import { pipeTunnel } from './egress-tunnel.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const it of cleanups.splice(0).reverse()) await it();
});

/** Names that end in .test resolve to this machine; there are no real DNS lookups. */
const local: Resolve = async (host) => {
  if (host.endsWith('.test')) return ['127.0.0.1'];
  throw new Error(`unexpected lookup of ${host}`);
};

const denyAll: EgressPolicy = { reach: { hosts: [], granted: [] }, anyPublic: false, holdsSecret: false };

function granting(...names: readonly (readonly [string, number])[]): EgressPolicy {
  const hosts = names.map(([host, port]) => ({ host, port }));
  return { ...denyAll, reach: { hosts, granted: hosts } };
}

async function proxy(policy: EgressPolicy, options: Partial<EgressOptions> = {}): Promise<EgressProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-egress-'));
  const made = await openEgress({ socket: join(folder, 's'), policy, resolve: local, ...options });
  cleanups.push(async () => {
    await made.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return made;
}

async function listen(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (it: Socket) => {
    open.add(it);
    it.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const it of open) it.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const web = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  listen(createHttpServer(answer));

/** Sends back everything it received when the other side has closed its half. */
const echo = () =>
  listen(
    createServer({ allowHalfOpen: true }, (socket) => {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => void chunks.push(chunk)).resume();
      socket.on('end', () => void socket.end(Buffer.concat([Buffer.from('echo '), ...chunks])));
    }),
  );

function open(through: EgressProxy): Socket {
  const socket = connect({ path: through.socket, allowHalfOpen: true });
  socket.on('error', () => {});
  socket.once('end', () => socket.end());
  cleanups.push(() => socket.destroy());
  return socket;
}

/** Sends the text and reads until the proxy closes. */
async function ask(through: EgressProxy, text: string, then?: string): Promise<string> {
  const socket = open(through);
  socket.write(text.replaceAll('\n', '\r\n'), 'latin1');
  let read = '';
  socket.on('data', (chunk) => {
    read += String(chunk);
    if (then !== undefined && read.includes('\r\n\r\n') && !socket.writableEnded) socket.end(then);
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return read;
}

const tunnel = (through: EgressProxy, target: string, then = '') =>
  ask(through, `CONNECT ${target} HTTP/1.1\nHost: ${target}\n\n`, then);

test('a tunnel to an allowed host works, and each side can close its half', async () => {
  const port = await echo();
  const through = await proxy(granting(['api.test', port]));
  expect(await tunnel(through, `api.test:${port}`, 'hello')).toBe(
    'HTTP/1.1 200 Connection established\r\n\r\necho hello',
  );
  expect(through.takeContacted()).toEqual([`api.test:${port}`]);
  expect(through.takeDenied()).toEqual([]);
  expect(statSync(through.socket).mode & 0o777).toBe(0o666);
});

test('a host that is not allowed is denied without a lookup, reported, and with the hint how to grant it', async () => {
  const port = await echo();
  let lookups = 0;
  const through = await proxy(granting(['api.test', port]), {
    resolve: async () => {
      lookups++;
      return ['127.0.0.1'];
    },
  });
  for (const answer of [
    await tunnel(through, `evil.test:${port}`),
    await ask(through, `GET http://evil.test:${port}/ HTTP/1.1\nHost: api.test\nConnection: close\n\n`),
  ]) {
    const [first = '', ...rest] = answer.split('\r\n');
    expect(first).toMatch(/^HTTP\/1\.1 403 Denied by Toolwharf: .*evil\.test/);
    expect(rest.at(-1)).toContain(`--allow net:evil.test:${port}`);
  }
  expect(lookups).toBe(0);
  expect(through.takeDenied()).toEqual([
    {
      host: 'evil.test',
      port,
      reason: expect.stringContaining(`may not reach evil.test:${port}`),
      hint: `to grant it, add --allow net:evil.test:${port}`,
    },
  ]);
  expect(through.takeDenied()).toEqual([]);
  expect(through.takeContacted()).toEqual([]);
});

test('only the allowed port and exact name are reached, and no port means the default port', async () => {
  const port = await echo();
  const through = await proxy(granting(['api.test', port]));
  for (const target of [`api.test:${port + 1}`, `a.api.test:${port}`, 'api.test:443'])
    expect(await tunnel(through, target)).toMatch(/^HTTP\/1\.1 403 /);
  const defaultPort = await proxy({
    ...denyAll,
    reach: { hosts: [{ host: 'api.test', port: null }], granted: [] },
  });
  // Loopback without a grant: the reason shows which check failed.
  expect(await tunnel(defaultPort, 'api.test:443')).toContain('api.test:443 is a loopback address');
  expect(await tunnel(defaultPort, 'API.test.:443')).toContain('api.test:443 is a loopback address');
  expect(await tunnel(defaultPort, 'api.test:80')).toContain('api.test:80 is a loopback address');
  expect(await tunnel(defaultPort, 'api.test:8080')).toContain('may not reach api.test:8080');
  const plain = (url: string) => ask(defaultPort, `GET ${url} HTTP/1.1\nHost: x\nConnection: close\n\n`);
  expect(await plain('http://api.test/')).toContain('api.test:80 is a loopback address');
  expect(await plain('http://api.test:443/')).toContain('may not reach api.test:443');
});

test.each(['127.0.0.1', '10.1.2.3', '::1', '::ffff:127.0.0.1', 'fd00::1'])(
  'a name that resolves to %s needs a grant',
  async (address) => {
    const through = await proxy({ ...denyAll, anyPublic: true }, { resolve: async () => [address] });
    expect(await tunnel(through, 'api.example:443')).toMatch(
      /^HTTP\/1\.1 403 .*--allow net:api\.example:443/,
    );
    expect(through.takeDenied()).toHaveLength(1);
  },
);

test.each(['169.254.169.254', 'fe80::1', '64:ff9b::7f00:1', '0.0.0.0', '::7f00:1', '224.0.0.1', 'junk'])(
  'a name that resolves to %s is denied even with a grant',
  async (address) => {
    const through = await proxy(granting(['api.example', 443]), { resolve: async () => [address] });
    const answer = await tunnel(through, 'api.example:443');
    expect(answer).toMatch(/^HTTP\/1\.1 403 .*which cannot be granted/);
    expect(answer).not.toContain('--allow');
  },
);

test('each connection does one lookup and checks its result', async () => {
  const port = await echo();
  let lookups = 0;
  const through = await proxy(granting(['api.test', port]), {
    resolve: async () => (lookups++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']),
  });
  expect(await tunnel(through, `api.test:${port}`, 'x')).toContain('echo x');
  expect(lookups).toBe(1);
  expect(await tunnel(through, `api.test:${port}`, 'x')).toMatch(/^HTTP\/1\.1 403 .*link-local/);
  expect(lookups).toBe(2);
});

test('a public address of this machine counts as loopback', async () => {
  const destination = parseDestination('https://api.example/');
  const resolve: Resolve = async () => ['93.184.216.34'];
  const reach = { hosts: [], granted: [] };
  await expect(allowedAddresses(destination, reach, resolve, () => [])).resolves.toEqual(['93.184.216.34']);
  await expect(
    allowedAddresses(destination, reach, resolve, () => ['::ffff:93.184.216.34']),
  ).rejects.toMatchObject({ code: 'network_denied', message: expect.stringContaining('loopback') });
});

test.each([
  '127.0.0.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.1',
  '127.0.0.1.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  'local.test',
])('this machine is not reached under the notation %s', async (host) => {
  let touched = 0;
  const port = await listen(createServer(() => touched++));
  const through = await proxy({ ...denyAll, anyPublic: true });
  expect(await tunnel(through, `${host}:${port}`)).toMatch(/^HTTP\/1\.1 403 /);
  expect(await ask(through, `GET http://${host}:${port}/ HTTP/1.1\nHost: a\nConnection: close\n\n`)).toMatch(
    /^HTTP\/1\.1 403 /,
  );
  expect(touched).toBe(0);
});

test('control: with a grant the same listener is reached under each notation', async () => {
  const port = await echo();
  const through = await proxy({ ...granting(['127.0.0.1', port]), anyPublic: true });
  for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]'])
    expect(await tunnel(through, `${host}:${port}`, 'x')).toContain('echo x');
});

test.each([
  'CONNECT user@api.test:PORT',
  'CONNECT user:pw@api.test:PORT',
  'CONNECT api.test',
  'CONNECT api.test:0',
  'CONNECT api.test:99999',
  'CONNECT api.test:PORT/x',
  'CONNECT ap%69.test:PORT',
  'CONNECT api..test:PORT',
  'CONNECT :PORT',
  'CONNECT [::1%25lo]:PORT',
  'CONNECT http://api.test:PORT',
  'CONNECT \u00e4pi.test:PORT',
  'GET /',
  'GET *',
  'GET ftp://api.test:PORT/',
  'GET file:///etc/passwd',
  'GET http://user@api.test:PORT/',
  'GET http://user:pw@api.test:PORT/',
  'GET http://api.test:0/',
  'GET http://api.test:99999/',
  'GET http://\u00e4pi.test:PORT/',
])('%s is rejected: not a valid host', async (start) => {
  let touched = 0;
  const port = await listen(createServer(() => touched++));
  const through = await proxy({ ...granting(['api.test', port], ['127.0.0.1', port]), anyPublic: true });
  const answer = await ask(
    through,
    `${start.replace('PORT', String(port))} HTTP/1.1\nHost: api.test\nConnection: close\n\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(touched).toBe(0);
});

test('a forwarded request has the checked Host header and no hop-by-hop headers', async () => {
  let seen: IncomingMessage | undefined;
  const port = await web((request, response) => {
    seen = request;
    response.writeHead(201, 'Made', {
      connection: 'close, x-private',
      'x-private': '1',
      'proxy-authenticate': 'Basic',
      'set-cookie': ['a=1', 'b=2'],
    });
    response.end('fine');
  });
  const through = await proxy(granting(['api.test', port]));
  const answer = await ask(
    through,
    `GET http://api.test:${port}/a/../b?c=%20 HTTP/1.1\nHost: evil.test\nProxy-Authorization: Basic eA==\n` +
      'Proxy-Connection: keep-alive\nConnection: close, X-Hop\nX-Hop: 1\nTE: trailers\nKeep-Alive: 5\nX-End: yes\n\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 201 Made\r\n/);
  expect(answer).toContain('set-cookie: a=1\r\nset-cookie: b=2\r\n');
  expect(answer).not.toMatch(/x-private|proxy-authenticate/i);
  expect(seen?.url).toBe('/b?c=%20');
  expect(seen?.headers).toEqual({ host: `api.test:${port}`, connection: 'close', 'x-end': 'yes' });
});

test('request and response bodies are forwarded, with a length and in chunks', async () => {
  const port = await web((request, response) => void request.pipe(response));
  const through = await proxy(granting(['api.test', port]));
  const start = `POST http://api.test:${port}/ HTTP/1.1\nHost: x\nConnection: close\n`;
  expect(await ask(through, `${start}Content-Length: 5\nExpect: 100-continue\n\nhello`)).toMatch(
    /^HTTP\/1\.1 100 Continue[\s\S]*hello/,
  );
  expect(await ask(through, `${start}Transfer-Encoding: chunked\n\n5\nworld\n0\n\n`)).toContain('world');
});

test.each([
  'Content-Length: 5\nTransfer-Encoding: chunked\n\n0\n\nGET http://evil.test/ HTTP/1.1\n\n',
  'Content-Length: 5\nContent-Length: 6\n\nhello!',
  'Transfer-Encoding: chunked, identity\n\n0\n\n',
  'Content-Length: +5\n\nhello',
  'X: a\n folded: b\nTransfer-Encoding : chunked\n\n',
  'X: a\u0000b\n\n',
])('an ambiguous request is rejected (%#)', async (rest) => {
  let touched = 0;
  const port = await web((_request, response) => {
    touched++;
    response.end();
  });
  const through = await proxy(granting(['api.test', port]));
  expect(await ask(through, `POST http://api.test:${port}/ HTTP/1.1\nHost: x\n${rest}`)).toMatch(
    /^HTTP\/1\.1 400 /,
  );
  expect(touched).toBe(0);
});

test('pipelined requests are checked one by one, and no tunnel starts before a response has ended', async () => {
  const port = await web((request, response) => {
    setTimeout(() => response.end(`[${request.url}]`), 20);
  });
  const through = await proxy(granting(['api.test', port]));
  const get = (host: string, path: string) => `GET http://${host}:${port}${path} HTTP/1.1\nHost: x\n\n`;
  const answer = await ask(through, get('api.test', '/1') + get('api.test', '/2') + get('evil.test', '/3'));
  expect(answer).toMatch(/200 OK[\s\S]*\[\/1\][\s\S]*200 OK[\s\S]*\[\/2\][\s\S]*403 Denied/);
  expect(await ask(through, `${get('api.test', '/4')}CONNECT api.test:${port} HTTP/1.1\n\n`)).toBe('');
});

test('a protocol upgrade fails, whether the client or the server asks for it', async () => {
  const through101 = await listen(
    createServer((socket) => {
      socket.resume().end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    }),
  );
  const through = await proxy(granting(['api.test', through101]));
  const get = `GET http://api.test:${through101}/ HTTP/1.1\nHost: x\n`;
  expect(await ask(through, `${get}Connection: Upgrade\nUpgrade: websocket\n\n`)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await ask(through, `${get}Connection: close\n\n`)).toMatch(/^HTTP\/1\.1 502 /);
});

test('an incomplete or malformed response ends the request', async () => {
  const broken = await listen(
    createServer((socket) => {
      socket.on('data', (chunk) => {
        if (String(chunk).includes('/half')) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
        else if (String(chunk).includes('/junk')) socket.end('nonsense\r\n\r\n');
        else socket.destroy();
      });
    }),
  );
  const through = await proxy(granting(['api.test', broken]));
  const get = (path: string) =>
    ask(through, `GET http://api.test:${broken}${path} HTTP/1.1\nHost: x\nConnection: close\n\n`);
  expect(await get('/half')).toMatch(/half$/);
  expect(await get('/junk')).toMatch(/^HTTP\/1\.1 502 /);
  expect(await get('/gone')).toMatch(/^HTTP\/1\.1 502 /);
  expect(through.takeDenied()).toEqual([]);
});

test('a slow reader gets the whole response, also when the server has already closed', async () => {
  const port = await web((request, response) => {
    response.setHeader('connection', 'close');
    response.end(Buffer.alloc(Number(request.url?.slice(1)), 'x'));
  });
  const through = await proxy(granting(['api.test', port]));
  const sizes = Array.from({ length: 24 }, (_, index) => 100_000 + index * 16_384);
  const read = sizes.map(async (size) => {
    const socket = open(through);
    socket.pause();
    socket.write(`GET http://api.test:${port}/${size} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => void chunks.push(chunk)).resume();
    await once(socket, 'close');
    const all = Buffer.concat(chunks);
    return all.length - all.indexOf('\r\n\r\n') - 4;
  });
  expect(await Promise.all(read)).toEqual(sizes);
});

test('a response or denial before the end of the request reaches the client', async () => {
  const port = await listen(
    createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nstop'));
    }),
  );
  const through = await proxy(granting(['api.test', port]));
  const body = 'x'.repeat(3_000_000);
  const post = (name: string) =>
    ask(
      through,
      `POST http://${name}:${port}/ HTTP/1.1\nHost: x\nContent-Length: ${body.length}\nConnection: close\n\n${body}`,
    );
  expect(await post('api.test')).toMatch(/^HTTP\/1\.1 413 Too Large[\s\S]*stop$/);
  expect(await post('evil.test')).toMatch(/^HTTP\/1\.1 403 [\s\S]*--allow net:evil\.test/);
});

test('an https URL in absolute form is forwarded only over verified TLS', async () => {
  const port = await listen(createServer((socket) => void socket.resume().end('no TLS\r\n\r\n')));
  const through = await proxy(granting(['api.test', port]));
  expect(
    await ask(through, `GET https://api.test:${port}/ HTTP/1.1\nHost: x\nConnection: close\n\n`),
  ).toMatch(/^HTTP\/1\.1 502 /);
});

test('an inactive proxy denies everything without reporting hosts, and deactivating closes connections', async () => {
  const port = await echo();
  const through = await proxy(granting(['api.test', port]), { active: false });
  expect(await tunnel(through, `api.test:${port}`)).toMatch(/^HTTP\/1\.1 403 .*no call is running/);
  expect(await tunnel(through, 'evil.test:443')).toMatch(/^HTTP\/1\.1 403 .*no call is running/);
  expect(through.takeDenied()).toEqual([]);
  through.activate();
  const socket = open(through);
  socket.write(`CONNECT api.test:${port} HTTP/1.1\r\n\r\n`);
  expect(String((await once(socket, 'data'))[0])).toContain('200');
  through.deactivate();
  await once(socket, 'close');
  expect(await tunnel(through, `api.test:${port}`)).toContain('no call is running');
});

test('deactivating during a lookup leaves no connection open', async () => {
  let touched = 0;
  const port = await listen(createServer(() => touched++));
  let found: (addresses: string[]) => void = () => {};
  const through = await proxy(granting(['api.test', port]), {
    resolve: () => new Promise((resolve) => (found = resolve)),
  });
  const response = tunnel(through, `api.test:${port}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  through.deactivate();
  through.activate();
  found(['127.0.0.1']);
  expect(await response).toBe('');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([touched, through.takeContacted()]).toEqual([0, []]);
});

test('slow headers, large headers, idle tunnels and slow lookups time out', async () => {
  const port = await echo();
  const impatient = await proxy(granting(['api.test', port]), { timeouts: { header: 100 } });
  expect(await ask(impatient, 'GET http://api.test/ HTTP/1.1\nX: ')).toMatch(/^HTTP\/1\.1 408 /);
  expect(await ask(impatient, '')).toMatch(/^HTTP\/1\.1 408 /);
  const through = await proxy(granting(['api.test', port], ['slow.test', 1]), {
    timeouts: { idle: 200, lookup: 100 },
    resolve: (host) => (host === 'api.test' ? local(host) : new Promise(() => {})),
  });
  expect(await ask(through, `CONNECT api.test:${port} HTTP/1.1\nX: ${'x'.repeat(40_000)}\n\n`)).toMatch(
    /^HTTP\/1\.1 431 /,
  );
  expect(await ask(through, `CONNECT api.test:${port} HTTP/1.1\n\n`)).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n$/);
  expect(await tunnel(through, 'slow.test:1')).toMatch(/^HTTP\/1\.1 502 .*took too long/);
  // Lookups that timed out still count.
  await Promise.all(Array.from({ length: 63 }, () => tunnel(through, 'slow.test:1')));
  expect(await tunnel(through, 'slow.test:1')).toMatch(/^HTTP\/1\.1 502 .*too many DNS lookups/);
});

test('64 connections work at once, and more than 80 are not accepted', async () => {
  const port = await echo();
  const through = await proxy(granting(['api.test', port]));
  const sockets = Array.from({ length: 200 }, () => open(through));
  const ended = new Set<Socket>();
  for (const it of sockets) it.once('close', () => ended.add(it));
  for (const it of sockets) it.write(`CONNECT api.test:${port} HTTP/1.1\r\n\r\n`);
  let established = 0;
  for (const it of sockets) it.once('data', () => established++);
  await expect.poll(() => established + ended.size).toBe(200);
  expect(established).toBeGreaterThanOrEqual(64);
  expect(established).toBeLessThanOrEqual(80);
});

test('the proxy does not buffer for a client or server that does not read', async () => {
  let sent = 0;
  const flood = await listen(
    createServer((socket) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!socket.destroyed && sent < 200e6) {
          sent += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket.on('drain', more);
      more();
    }),
  );
  const deaf = await listen(createServer((socket) => void socket.pause()));
  const through = await proxy(granting(['flood.test', flood], ['deaf.test', deaf]));
  const reader = open(through);
  reader.write(`CONNECT flood.test:${flood} HTTP/1.1\r\n\r\n`);
  await once(reader, 'readable');
  const writer = open(through);
  writer.write(`CONNECT deaf.test:${deaf} HTTP/1.1\r\n\r\n`);
  await once(writer, 'data');
  let taken = 0;
  const chunk = Buffer.alloc(64 * 1024);
  const push = () => {
    while (taken < 200e6) {
      taken += chunk.length;
      if (!writer.write(chunk)) return;
    }
  };
  writer.on('drain', push);
  push();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(sent).toBeLessThan(50e6);
  expect(taken).toBeLessThan(50e6);
});

test('a tool that holds a secret sends nothing unencrypted without a grant', async () => {
  const port = await web((_request, response) => void response.end('in the clear'));
  const hosts = [{ host: 'api.test', port }];
  const get = `GET http://api.test:${port}/ HTTP/1.1\nHost: x\nConnection: close\n\n`;
  const strict = await proxy({ ...denyAll, reach: { hosts, granted: [] }, holdsSecret: true });
  expect(await ask(strict, get)).toMatch(/^HTTP\/1\.1 403 .*holds a secret.*--allow net:api\.test/);
  const granted = await proxy({ ...denyAll, reach: { hosts, granted: hosts }, holdsSecret: true });
  expect(await ask(granted, get)).toContain('in the clear');
});

/** The ClientHello that Node sends for a server name. */
async function clientHello(servername: string): Promise<Buffer> {
  const server = createServer();
  const port = await listen(server);
  const first = new Promise<Buffer>((resolve) =>
    server.once('connection', (socket: Socket) => void socket.once('data', resolve)),
  );
  const client = tlsConnect({ port, host: '127.0.0.1', servername });
  client.on('error', () => {});
  cleanups.push(() => client.destroy());
  return first;
}

/** The same message in TLS records of a few bytes each. */
function inSmallRecords(hello: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 5; at < hello.length; at += 40) {
    const part = hello.subarray(at, at + 40);
    pieces.push(Buffer.from([0x16, 0x03, 0x01, 0, part.length]), part);
  }
  return Buffer.concat(pieces);
}

test('a tunnel that requires TLS accepts only a handshake with the allowed server name', async () => {
  const attempt = async (first: Buffer, host = 'api.test'): Promise<[boolean, string[]]> => {
    let got = Buffer.alloc(0);
    const denied: string[] = [];
    const upstreamPort = await listen(
      createServer((socket) => void socket.on('data', (chunk) => (got = Buffer.concat([got, chunk])))),
    );
    const clientPort = await listen(
      createServer({ allowHalfOpen: true }, (client) => {
        const upstream = connect({ port: upstreamPort, host: '127.0.0.1', allowHalfOpen: true });
        upstream.once('connect', () =>
          pipeTunnel(client, upstream, Buffer.alloc(0), {
            encryptedFor: host,
            onDenied: (what) => denied.push(what),
          }),
        );
      }),
    );
    const client = connect(clientPort, '127.0.0.1');
    client.on('error', () => {});
    await once(client, 'data');
    client.write(first.subarray(0, 1));
    await new Promise((resolve) => setTimeout(resolve, 30));
    client.write(first.subarray(1));
    await expect.poll(() => (got.length >= first.length ? 1 : 0) + denied.length).toBeGreaterThan(0);
    client.destroy();
    return [got.equals(first), denied];
  };
  const hello = await clientHello('api.test');
  expect(await attempt(hello)).toEqual([true, []]);
  expect(await attempt(inSmallRecords(hello))).toEqual([true, []]);
  expect(await attempt(await clientHello('API.Test'))).toEqual([true, []]);
  expect(await attempt(await clientHello('evil.test'))).toEqual([false, ['with the server name evil.test']]);
  expect(await attempt(inSmallRecords(await clientHello('evil.test')))).toEqual([
    false,
    ['with the server name evil.test'],
  ]);
  expect(await attempt(await clientHello(''))).toEqual([false, ['without a server name']]);
  expect(await attempt(await clientHello(''), '192.0.2.7')).toEqual([true, []]);
  expect(await attempt(hello, '192.0.2.7')).toEqual([false, ['with the server name api.test']]);
  // With the ECH extension the visible name is only a cover; the real one is encrypted.
  const ech = Buffer.concat([hello, Buffer.from([0xfe, 0x0d, 0, 1, 0])]);
  for (const [at, size] of [
    [3, 2],
    [6, 3],
  ] as const)
    ech.writeUIntBE(hello.readUIntBE(at, size) + 5, at, size);
  const list = extensionsAt(hello);
  ech.writeUInt16BE(hello.readUInt16BE(list) + 5, list);
  expect(await attempt(ech)).toEqual([false, ['with an encrypted server name']]);
  for (const text of ['GET / HTTP/1.1\r\n', '\x16\x03\x01\x00\x05\x02hello', '\x15\x03\x01\x00\x02\x01\x00'])
    expect(await attempt(Buffer.from(text, 'latin1'))).toEqual([false, ['without encryption']]);
});

test('a damaged ClientHello is never parsed with another name', async () => {
  const hello = await clientHello('api.test');
  expect(parseClientHello(hello)).toEqual({ kind: 'hello', name: 'api.test', encrypted: false });
  for (let cut = 0; cut < hello.length; cut++)
    expect(parseClientHello(hello.subarray(0, cut)).kind).toBe('incomplete');
  for (let at = 0; at < hello.length; at++) {
    const damaged = Buffer.from(hello);
    damaged[at] = (damaged[at] as number) ^ 0xff;
    expect(['incomplete', 'not-tls', 'hello']).toContain(parseClientHello(damaged).kind);
  }
  expect(parseClientHello(Buffer.alloc(70_000, hello.subarray(0, 5))).kind).toBe('not-tls');
});

/** Offset of the length of the extensions. */
function extensionsAt(hello: Buffer): number {
  let at = 5 + 4 + 2 + 32;
  at += 1 + (hello[at] as number);
  at += 2 + hello.readUInt16BE(at);
  return at + 1 + (hello[at] as number);
}

test('two proxies have separate policies', async () => {
  const port = await echo();
  const one = await proxy(granting(['one.test', port]));
  const two = await proxy(granting(['two.test', port]));
  const answers = await Promise.all(
    [one, two].flatMap((it) => ['one', 'two'].map((name) => tunnel(it, `${name}.test:${port}`, 'x'))),
  );
  expect(answers.map((it) => it.slice(9, 12))).toEqual(['200', '403', '403', '200']);
  expect([one, two].map((it) => it.takeDenied().map(({ host }) => host))).toEqual([
    ['two.test'],
    ['one.test'],
  ]);
});

test('the number of reported hosts is limited', async () => {
  const through = await proxy(denyAll);
  const batch = (start: number) =>
    Promise.all(Array.from({ length: 50 }, (_, index) => tunnel(through, `h${start + index}.test:443`)));
  for (const start of [0, 50, 100]) await batch(start);
  expect(through.takeDenied()).toHaveLength(100);
});

test('closing ends all connections and removes the socket', async () => {
  const port = await echo();
  const through = await proxy(granting(['api.test', port]));
  const tunneled = open(through);
  tunneled.write(`CONNECT api.test:${port} HTTP/1.1\r\n\r\n`);
  await once(tunneled, 'data');
  const idle = open(through);
  await once(idle, 'connect');
  const gone = Promise.all([once(tunneled, 'close'), once(idle, 'close')]);
  tunneled.resume();
  idle.resume();
  await through.close();
  await gone;
  expect(existsSync(through.socket)).toBe(false);
  await through.close();
});

test('a socket that cannot be created is an error', async () => {
  await expect(
    openEgress({ socket: join(tmpdir(), 'x'.repeat(120)), policy: denyAll }),
  ).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  await expect(
    openEgress({ socket: join(tmpdir(), 'no-such-folder', 's'), policy: denyAll }),
  ).rejects.toMatchObject({ code: 'sandbox_unavailable' });
});
