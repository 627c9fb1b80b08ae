import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on 127.0.0.1 that counts connections and answers every request with its greeting. */
export interface TestListener {
  readonly port: number;
  readonly greeting: string;
  connections(): number;
  close(): Promise<void>;
}

/** Opens a server that nothing in a sandbox may reach, to test exactly that. */
export async function openTestListener(): Promise<TestListener> {
  const greeting = 'toolwharf-doctor';
  let connections = 0;
  const server = createServer((_request, response) => response.end(greeting));
  server.on('connection', () => {
    connections++;
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', done);
  });
  return {
    port: (server.address() as AddressInfo).port,
    greeting,
    connections: () => connections,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
