// A real HTTP server on a free loopback port with test packages, and helpers to send requests to it.
import { randomBytes } from 'node:crypto';
import {
  type Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http';
import { createConnection, type Socket } from 'node:net';
import type { Answer, SessionPolicy, TokenRole } from '../../src/host/host.js';
import { Metrics } from '../../src/serve/http/metrics.js';
import { type HttpServer, type HttpServerOptions, openHttpServer } from '../../src/serve/http/server.js';
import type { HttpServerLimits } from '../../src/serve/http/server-limits.js';
import { patchTool } from './toolwharf.js';
import {
  agreeTo,
  type Files,
  knownEffects,
  pythonTool,
  talos,
  type Workbench,
  type WorkbenchOptions,
  workbench,
} from './workbench.js';

export interface HttpBench {
  readonly bench: Workbench;
  readonly server: HttpServer;
  readonly port: number;
  readonly operator: string;
  readonly agent: string;
  readonly answers: Answer[];
  /** A stored token with its id. */
  token(name: string, role?: TokenRole, expiresAt?: number | null): Promise<{ token: string; id: string }>;
  /** A stored token of an agent in whose client a person may approve held calls. */
  approverToken(name: string): Promise<string>;
  request(path: string, options?: RequestOptions): Promise<ReceivedResponse>;
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON, except for strings, which are sent as they are. */
  readonly body?: unknown;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  readonly json: any;
}

export const packages: Files = {
  'word_count.py': patchTool({ name: 'word_count' }),
  'send_note.py': patchTool({ name: 'send_note', humanConfirm: true, body: '    return {"sent": text}' }),
  'sleep.py': pythonTool({
    name: 'sleep',
    head: ['import time'],
    body: ['time.sleep(float(text or "60"))', 'return {"slept": text}'],
  }),
  'long.py': pythonTool({ name: 'long', body: ['return {"text": "x" * int(text)}'] }),
  ...talos({
    id: 'door',
    code: 'export const handlers = { look() { return "ok"; } };\n',
    functions: ['look'],
    rest: { credentials: [{ name: 'door_key', label: 'Door key', required: true }] },
  }),
};

/** `more`: files of further packages. A package that is written later needs review. */
export async function httpBench(
  limits: Partial<HttpServerLimits> = {},
  rest: Partial<HttpServerOptions> = {},
  more: Files = {},
  hostOptions: WorkbenchOptions = {},
  policy: SessionPolicy = {},
): Promise<HttpBench> {
  const answers: Answer[] = [];
  const metrics = new Metrics();
  const bench = await workbench(
    { ...packages, ...more },
    {
      // Then only processes of calls run.
      warm: false,
      ...hostOptions,
      onAnswer: (answer) => {
        answers.push(answer);
        metrics.countCall(answer);
      },
    },
  );
  // As "toolwharf serve" does: callers accept nothing.
  await agreeTo(bench.host, bench.packages);
  const operator = `tw_${randomBytes(32).toString('base64url')}`;
  const agent = `tw_${randomBytes(32).toString('base64url')}`;
  const server = await openHttpServer(bench.host, {
    port: 0,
    startTokens: [
      { name: 'start-operator', role: 'operator', token: operator },
      { name: 'start-agent', role: 'agent', token: agent },
    ],
    session: {
      directories: [bench.packages],
      root: bench.root,
      accept: null,
      policy: { rules: [knownEffects], ...policy },
    },
    version: '9.9.9',
    now: Date.now,
    onBug: (error) => bench.bugs.push(error),
    metrics,
    limits,
    ...rest,
  });
  return {
    bench,
    server,
    port: server.port,
    operator,
    agent,
    answers,
    token: async (name, role = 'agent', expiresAt = null) => {
      const made = await bench.host.tokens.create({ name, role, expiresAt, by: 'test' });
      return { token: made.token, id: made.entry.id };
    },
    approverToken: async (name) => {
      const input = { name, role: 'agent', expiresAt: null, mayApprove: true, by: 'test' } as const;
      return (await bench.host.tokens.create(input)).token;
    },
    request: (path, options = {}) => request(server.port, path, { token: agent, ...options }),
    close: async () => {
      await server.close();
      await bench.close();
    },
  };
}

/** Sends one request exactly as given: no redirects, no retries, only the headers that HTTP needs. */
export function request(port: number, path: string, options: RequestOptions = {}): Promise<ReceivedResponse> {
  const { method = options.body === undefined ? 'GET' : 'POST', token, headers = {}, body } = options;
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: options.agent ?? false,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const all = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: all,
            json: jsonOf(all),
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(text);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends raw bytes. Resolves with everything received once the server closed the connection. */
export function rawRequest(port: number, text: string): { socket: Socket; closed: Promise<string> } {
  const socket = createConnection(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  socket.write(text);
  return { socket, closed };
}

export const claim = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of MCP 2026-07-28 with the headers it needs. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
): { headers: Record<string, string>; body: unknown } {
  const name = params.name ?? params.uri;
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: { jsonrpc: '2.0', id, method, params: { _meta: claim, ...params } },
  };
}
