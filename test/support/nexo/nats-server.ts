// A NATS server for tests, on a free port of this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder, until } from '../toolwharf.js';

export interface NatsTestServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const program = '/usr/sbin/nats-server';

/** Starts a server. `rest`: further lines of its configuration. */
export async function startNatsServer(rest = ''): Promise<NatsTestServer> {
  const folder = temporaryFolder();
  const port = await freePort();
  const config = join(folder.path, 'nats.conf');
  writeFileSync(config, `listen: "127.0.0.1:${port}"\nmax_payload: 8MB\nmax_pending: 32MB\n${rest}\n`);
  let child: ChildProcess | undefined;
  let exited: Promise<unknown> = Promise.resolve();
  const server: NatsTestServer = {
    url: `nats://127.0.0.1:${port}`,
    port,
    async start() {
      const started = spawn(program, ['-c', config], { stdio: 'ignore' });
      child = started;
      exited = new Promise((resolve) => started.once('close', resolve));
      await until(() => answers(port));
    },
    async stop() {
      child?.kill('SIGKILL');
      await exited;
    },
    async close() {
      await server.stop();
      folder.remove();
    },
  };
  await server.start();
  return server;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host: '127.0.0.1', port });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
