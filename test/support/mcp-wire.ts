// MCP clients in the same process as the MCP server of the host: the official client, and one that writes raw lines.
import { PassThrough } from 'node:stream';
import {
  Client,
  type ClientOptions,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Host, Session } from '../../src/index.js';
import { createMcpServer, type McpServer } from '../../src/serve/mcp/server.js';
import {
  createMcpServerParts,
  type ExposeMode,
  type McpServerParts,
} from '../../src/serve/mcp/server-options.js';
import type { LineConnection } from '../../src/wire/line-connection.js';
import { readLines } from '../../src/wire/lines.js';

export type Message = Record<string, unknown>;

/** Both ends of a line connection in this process. */
export function linePair(): { connection: LineConnection; toServer: PassThrough; fromServer: PassThrough } {
  const toServer = new PassThrough();
  const fromServer = new PassThrough();
  const connection: LineConnection = {
    input: toServer,
    write: (line) => fromServer.write(line),
    onDrain: (resume) => void fromServer.on('drain', resume),
    close: () => void fromServer.end(),
  };
  return { connection, toServer, fromServer };
}

/** A transport for the official client. */
export function lineTransport(toServer: PassThrough, fromServer: PassThrough): Transport {
  const transport: Transport = {
    async start() {
      readLines(fromServer, {
        line: (text) => transport.onmessage?.(JSON.parse(text) as JSONRPCMessage),
        end: () => transport.onclose?.(),
      });
    },
    async send(message) {
      toServer.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      toServer.end();
      transport.onclose?.();
    },
  };
  return transport;
}

export interface FrontSetup {
  readonly host: Host;
  readonly session: Session;
  readonly principal?: string;
  readonly holder?: string;
  readonly expose?: ExposeMode;
  /** Whether agents may ask for packages. */
  readonly installRequests?: boolean;
  readonly parts?: McpServerParts;
  readonly now?: () => number;
  /** Id of a token that may approve held calls. Default: its user is never asked to approve. */
  readonly approver?: string | null;
}

export const bugs: unknown[] = [];

export function partsFor(now: () => number = Date.now): McpServerParts {
  return createMcpServerParts({ version: '9.9.9', state: null, now, onBug: (error) => bugs.push(error) });
}

export function frontFor({ host, session, principal = 'agent', ...rest }: FrontSetup): McpServer {
  const { holder = principal, expose = 'all', parts = partsFor(rest.now), approver = null } = rest;
  return createMcpServer({
    ...parts,
    session,
    approvals: host.approvals,
    tasks: host.tasks,
    principal,
    holder,
    expose,
    installRequests: rest.installRequests,
    approver,
  });
}

export type Era = '2025' | '2026';

/** The official client, connected to the given MCP server. */
export async function officialClient(
  front: McpServer,
  era: Era,
  options: ClientOptions = {},
): Promise<Client> {
  const { connection, toServer, fromServer } = linePair();
  void front.lines(connection);
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1.0.0' }, { ...options, versionNegotiation: { mode } });
  await client.connect(lineTransport(toServer, fromServer));
  return client;
}

/** A client that can send any line, valid or not. */
export class BareClient {
  readonly received: Message[] = [];
  readonly #toServer: PassThrough;
  readonly #waiting = new Set<() => void>();
  ended = false;

  constructor(front: McpServer) {
    const { connection, toServer, fromServer } = linePair();
    this.#toServer = toServer;
    void front.lines(connection);
    readLines(fromServer, {
      line: (text) => {
        this.received.push(JSON.parse(text));
        for (const look of [...this.#waiting]) look();
      },
      end: () => {
        this.ended = true;
      },
    });
  }

  send(text: string | object): void {
    this.#toServer.write(`${typeof text === 'string' ? text : JSON.stringify(text)}\n`);
  }

  /** Removes the first message that fits from `received` and returns it. */
  next(fits: (message: Message) => boolean, milliseconds = 10_000): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no such message among ${JSON.stringify(this.received)}`));
      }, milliseconds);
      const look = () => {
        const at = this.received.findIndex(fits);
        if (at === -1) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(this.received.splice(at, 1)[0] as Message);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async request(
    method: string,
    params: object = {},
    id: string | number = 1,
    milliseconds?: number,
  ): Promise<Message> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.next((it) => it.id === id && !('method' in it), milliseconds);
  }

  leave(): void {
    this.#toServer.end();
  }
}

/** The metadata of every request in the 2026 era. */
export function envelope(capabilities: object = {}, more: object = {}): { _meta: object } {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      ...more,
    },
  };
}
