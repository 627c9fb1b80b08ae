// A real image registry (Debian's docker-registry) on loopback. A server before it can hold downloads back.
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { LoopbackTls } from './loopback-tls.js';
import { temporaryFolder } from './toolwharf.js';

const program = '/usr/bin/docker-registry';
/** The user "nobody": the registry needs no rights. */
const nobody = 65_534;

export interface ImageRegistry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly requests: string[];
  /** While true, downloads of layers wait. */
  isHolding: boolean;
  close(): Promise<void>;
}

export const noRegistry = existsSync(program) ? '' : ` (needs ${program})`;

/** `tls`: it answers over TLS only. */
export async function imageRegistry(tls?: LoopbackTls): Promise<ImageRegistry> {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  mkdirSync(data);
  chownSync(data, nobody, nobody);
  const port = await freePort();
  const settings = {
    version: '0.1',
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: data } },
    http: { addr: `127.0.0.1:${port}`, relativeurls: true },
  };
  writeFileSync(join(folder.path, 'settings.yml'), JSON.stringify(settings));
  const child: ChildProcess = spawn(program, ['serve', join(folder.path, 'settings.yml')], {
    ...{ uid: nobody, gid: nobody, cwd: '/', stdio: 'ignore', env: { OTEL_TRACES_EXPORTER: 'none' } },
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const held: (() => void)[] = [];
  const requests: string[] = [];
  let isHolding = false;
  const forward = (asked: IncomingMessage, answer: ServerResponse) => {
    const { method, url: path, headers } = asked;
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (it) => {
      answer.writeHead(it.statusCode ?? 502, it.headers);
      it.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    asked.pipe(onward);
  };
  const listener = (asked: IncomingMessage, answer: ServerResponse) => {
    requests.push(`${asked.method} ${asked.url}`);
    if (isHolding && asked.method === 'GET' && asked.url?.includes('/blobs/'))
      held.push(() => forward(asked, answer));
    else forward(asked, answer);
  };
  const front = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  await answers(port);
  return {
    host: `127.0.0.1:${(front.address() as AddressInfo).port}`,
    requests,
    get isHolding() {
      return isHolding;
    },
    set isHolding(value) {
      isHolding = value;
      if (!value) for (const it of held.splice(0)) it();
    },
    async close() {
      front.closeAllConnections();
      await new Promise((done) => front.close(done));
      child.kill('SIGKILL');
      await ended;
      folder.remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function answers(port: number): Promise<void> {
  for (let left = 100; left > 0; left--) {
    const isUp = await fetch(`http://127.0.0.1:${port}/v2/`).then(
      (it) => it.ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('the image registry did not start');
}
