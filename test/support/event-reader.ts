// One HTTP request whose answer is a stream of events, and a proxy on loopback whose connections can be broken.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { createConnection, createServer, type Socket } from 'node:net';

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly retry: string | undefined;
  /** Undefined: the event has no message. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape.
  readonly message: any;
}

export interface EventReader {
  readonly status: number;
  readonly type: string;
  readonly events: ReceivedEvent[];
  /** Resolves when the answer has ended or the connection is gone. */
  readonly closed: Promise<void>;
  /** Breaks the connection. */
  drop(): void;
}

export interface EventRequest {
  readonly port: number;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** Resolves when the headers of the answer are there. */
export function readEvents({ port, method, headers, body }: EventRequest): Promise<EventReader> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = httpRequest(
      {
        ...{ host: '127.0.0.1', port, path: '/mcp', method, agent: false },
        headers: {
          accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (response) => resolve(readerOf(sent, response)),
    );
    sent.once('error', reject);
    sent.end(text);
  });
}

function readerOf(sent: ClientRequest, response: IncomingMessage): EventReader {
  const events: ReceivedEvent[] = [];
  const type = response.headers['content-type'] ?? '';
  let begun = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const parts = (begun + chunk).split('\n\n');
    begun = parts.pop() as string;
    for (const it of parts) if (!it.startsWith(':')) events.push(eventOf(it));
  });
  response.on('error', () => {});
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
  return { status: response.statusCode ?? 0, type, events, closed, drop: () => sent.destroy() };
}

function eventOf(text: string): ReceivedEvent {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1];
  const data = field('data') ?? '';
  return { id: field('id'), retry: field('retry'), message: data === '' ? undefined : JSON.parse(data) };
}

export interface BreakableProxy {
  readonly port: number;
  readonly connections: number;
  /** Breaks all connections, without a word to either side. */
  break(): void;
  close(): Promise<void>;
}

/** Passes bytes on to a port of this machine, which may be known later. */
export async function breakableProxy(target: () => number): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((near) => {
    connections++;
    const far = createConnection(target(), '127.0.0.1');
    for (const it of [near, far]) {
      sockets.add(it);
      it.on('error', () => {});
      it.once('close', () => {
        sockets.delete(it);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = () => {
    for (const it of sockets) it.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    get connections() {
      return connections;
    },
    break: breakAll,
    close: async () => {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
