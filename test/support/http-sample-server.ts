// The sample server over HTTP on loopback, with the transports of the official SDK.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { closeLater } from './mcp-upstream.js';
import { makeSampleServer, sampleState } from './upstreams/sample-server.mjs';

type Answer = (request: Request) => Promise<Response>;

/** Answers instead of the sample server, or returns undefined to let the request through. */
export type Interceptor = (request: Request) => Response | undefined;

/** Starts a sample server and returns its URL. Like real servers of that era, the older one uses sessions. */
export async function httpSampleServer(
  speaks: '2025' | '2026' | 'both',
  intercept: Interceptor = () => undefined,
): Promise<string> {
  const answer = speaks === '2025' ? withSessions() : withoutSessions(speaks);
  return serve(async (request) => intercept(request) ?? answer(request));
}

function withoutSessions(speaks: '2026' | 'both'): Answer {
  const state = sampleState();
  const handler = createMcpHandler(({ era }) => makeSampleServer(state, era === 'modern'), {
    legacy: speaks === '2026' ? 'reject' : 'stateless',
  });
  state.onGrow = () => handler.notify.toolsChanged();
  return (request) => handler.fetch(request);
}

function withSessions(): Answer {
  const state = sampleState();
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await makeSampleServer(state, false).connect(transport);
    return transport.handleRequest(request);
  };
}

async function serve(answer: Answer): Promise<string> {
  const server = createServer((incoming, response) => {
    void pass(answer, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function pass(answer: Answer, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const stop = new AbortController();
  response.once('close', () => stop.abort());
  const answered = await answer(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method as string,
      headers: incoming.headers as Record<string, string>,
      signal: stop.signal,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.flushHeaders();
  if (answered.body === null) response.end();
  else
    Readable.fromWeb(answered.body as ReadableStream)
      .on('error', () => response.destroy())
      .pipe(response);
}
